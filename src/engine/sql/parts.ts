// The parts of a run that several workers share. Lock order as everywhere: queue row or lease, then ledger; parts are changed only by whoever has
// locked the run's row in the ledger, so that two parts that end at the same moment see each other.
import type { Queryable } from '../../platform/database.ts';
import type { Failures } from '../retry-policy.ts';
import { type Claimant, type ClaimedRow, isAlive } from './claim-runs.ts';
import type { AttemptEnd } from './end-attempts.ts';
import type { FenceKey } from './fence.ts';

/** Parts announce no start of their own: the run has started already. */
export type PartClaimant = Pick<Claimant, 'workerId' | 'capped'>;

/** Offers all parts of a run again; the first is its holder's. False when the run is no longer the holder's. */
export async function offerParts(db: Queryable, lease: FenceKey, parts: readonly string[]): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'engine-offer-parts',
    text: `
      with held as (
        select l.run_id, l.part, l.pipeline, l.lane, r.priority
        from engine.leases l
        join engine.runs r on r.id = l.run_id
        where l.run_id = $1 and l.part = $2 and l.attempt = $3 and (l.worker_id = $4) is true
        for update of r
      ),
      stale as (
        delete from engine.parts p where p.run_id = (select run_id from held) and p.part <> all ($5::text[])
      )
      insert into engine.parts (run_id, part, pipeline, lane, priority, state)
      select h.run_id, o.part, h.pipeline, h.lane, h.priority, case when o.part = h.part then 'taken' else 'open' end
      from held h, unnest($5::text[]) as o (part)
      on conflict (run_id, part) do update
      set state = excluded.state, available_at = engine.now(), queued_at = engine.now(), failure = null, wait_reason = null`,
    values: [lease.id, lease.part, lease.attempt, lease.workerId, parts],
  });
  return (rowCount ?? 0) > 0;
}

/**
 * One open part of the pipeline, from the first lane after `afterLane` that has one. A run that somebody else is just changing is passed over.
 * The lane's cap counts runs and does not matter here.
 */
export async function claimPart(
  db: Queryable,
  by: PartClaimant,
  request: { readonly pipeline: string; readonly afterLane: string },
): Promise<ClaimedRow | undefined> {
  const { rows } = await db.query<ClaimedRow>({
    name: 'engine-claim-part',
    text: `
      with chosen as materialized (
        select p.run_id, p.part, p.queued_at
        from engine.parts p
        cross join lateral (
          select from engine.runs r where r.id = p.run_id and r.phase = 'active' limit 1 for update skip locked
        ) locked
        where p.state = 'open' and p.pipeline = $3 and p.lane > $4 and p.available_at <= (select engine.now())
          and not exists (select from engine.pauses x where x.pipeline = p.pipeline and x.lane in ('', p.lane))
          and ${isAlive}
        order by p.lane, p.priority, p.run_id, p.part
        limit 1
      ),
      picked as (
        update engine.parts p
        set state = 'taken'
        from chosen c
        where p.run_id = c.run_id and p.part = c.part and p.state = 'open'
        returning p.run_id, p.part, p.queued_at
      ),
      ${leaseTaken}`,
    values: [by.workerId, by.capped, request.pipeline, request.afterLane],
  });
  return rows[0];
}

/** The first open part of a run whose row the transaction has locked goes to the same worker. */
export async function takeNextPart(db: Queryable, by: PartClaimant, runId: string): Promise<ClaimedRow | undefined> {
  const { rows } = await db.query<ClaimedRow>({
    name: 'engine-take-next-part',
    text: `
      with picked as (
        update engine.parts p
        set state = 'taken'
        where p.run_id = $3 and p.part = (
          select part from engine.parts
          where run_id = $3 and state = 'open' and available_at <= (select engine.now())
          order by part limit 1
        )
        returning p.run_id, p.part, p.queued_at
      ),
      ${leaseTaken}`,
    values: [by.workerId, by.capped, runId],
  });
  return rows[0];
}

/** Steps shared by both once `picked (run_id, part, queued_at)` is taken. A part is never claimed ahead, so it has begun. */
const leaseTaken = `
      claimed as (
        update engine.runs r
        set attempt = r.attempt + 1, updated_at = engine.now()
        from picked p
        where r.id = p.run_id
        returning r.*, p.part, p.queued_at
      ),
      leased as (
        insert into engine.leases (run_id, part, attempt, worker_id, tenant_id, pipeline, lane, stage, capped, queued_at, began)
        select c.id, c.part, c.attempt, $1::uuid, c.tenant_id, c.pipeline, c.lane, s.stage, c.pipeline = any ($2::text[]), c.queued_at, true
        from claimed c
        join engine.states s on s.pipeline = c.pipeline and s.status = c.status
      )
      select c.id, c.tenant_id, c.pipeline, c.status, c.lane, c.priority, c.attempt, $1::uuid as worker_id, c.part, c.input,
             nullif(c.failures, '{}') as failures, c.blob_id, c.retry_of, c.correlation_id, c.created_by,
             date_part('epoch', c.created_at) * 1000 as created_ms,
             date_part('epoch', engine.now() - c.created_at) * 1000 as age_ms
      from claimed c`;

/** The run's row for update, under the fence of one of its parts. False: the lease is gone, or locked at the moment. */
export async function lockSharedRun(db: Queryable, lease: FenceKey): Promise<boolean> {
  const held = await db.query({
    name: 'engine-lock-part-to-end',
    text: `
      select from engine.leases
      where run_id = $1 and part = $2 and attempt = $3 and (worker_id = $4) is true
      for update skip locked`,
    values: [lease.id, lease.part, lease.attempt, lease.workerId],
  });
  if (held.rowCount !== 1) return false;
  await db.query({
    name: 'engine-lock-shared-run',
    text: `select from engine.runs where id = $1 for update`,
    values: [lease.id],
  });
  return true;
}

export interface PartsLeft {
  /** Leases of other parts. */
  readonly others: number;
  readonly open: number;
  /** Until the first open part may be claimed; 0 when one may be now, and when none is open. */
  readonly open_in_ms: number;
  /** Why it waits until then. */
  readonly open_reason: unknown;
  /** How the first part that failed for good has ended. */
  readonly failure: AttemptEnd | null;
  /** The commits that the ending part believes in stand. */
  readonly committed: boolean;
  /** Where the event leads; null for the end of a part's work, which moves nothing. */
  readonly to_phase: string | null;
  readonly failures: Failures;
}

/** In a statement of its own after `lockSharedRun`, so that it sees what was committed while the lock was waited for. */
export async function readPartsLeft(
  db: Queryable,
  lease: FenceKey & { readonly stage: string; readonly pipeline: string },
  commits: string | null,
  move: { readonly fromStatus: string; readonly event: string } | null,
): Promise<PartsLeft> {
  const { rows } = await db.query<PartsLeft>({
    name: 'engine-read-parts-left',
    text: `
      select (select count(*)::int from engine.leases where run_id = $1 and part <> $2) as others,
             (select count(*)::int from engine.parts where run_id = $1 and state = 'open') as open,
             (select greatest(0, extract(epoch from min(available_at) - engine.now()) * 1000)::float8
              from engine.parts where run_id = $1 and state = 'open') as open_in_ms,
             (select wait_reason from engine.parts where run_id = $1 and state = 'open' order by available_at limit 1) as open_reason,
             (select failure from engine.parts where run_id = $1 and failure is not null order by part limit 1) as failure,
             not exists (
               select from jsonb_each_text(coalesce($4::jsonb, '{}')) e
               where e.value::bigint is distinct from (
                 select c.commits from engine.checkpoints c where c.run_id = $1 and c.stage = $3 and c.part = e.key limit 1
               )
             ) as committed,
             (select to_phase from engine.transitions where pipeline = $5 and from_status = $6 and event = $7) as to_phase,
             (select failures from engine.runs where id = $1) as failures`,
    values: [
      ...[lease.id, lease.part, lease.stage, commits, lease.pipeline],
      ...[move?.fromStatus ?? null, move?.event ?? null],
    ],
  });
  return rows[0] as PartsLeft;
}

export interface PartEnd {
  readonly state: 'open' | 'ended';
  readonly delayMs: number;
  readonly failure: string | null;
  readonly end: AttemptEnd;
}

/** The part's lease goes and its attempt is history; the run stays active. */
export async function endPartAlone(
  db: Queryable,
  lease: FenceKey,
  { state, delayMs, failure, end }: PartEnd,
): Promise<void> {
  await db.query({
    name: 'engine-end-part-alone',
    text: `
      with released as (
        delete from engine.leases where run_id = $1 and part = $2 and attempt = $3
        returning *
      ),
      marked as (
        update engine.parts p
        set state = case when p.part = $2 then $4 else 'ended' end,
            available_at = engine.now() + $5 * interval '1 millisecond',
            queued_at = engine.now(),
            wait_reason = case when p.part = $2 then $12::jsonb else p.wait_reason end,
            failure = case when p.part = $2 then $6::jsonb else p.failure end
        where p.run_id = $1 and (p.part = $2 or ($6::jsonb is not null and p.state = 'open'))
      ),
      counted as (
        update engine.runs r
        set failures = $10::jsonb, updated_at = engine.now()
        where r.id = $1
      )
      insert into engine.attempts (run_id, part, attempt, tenant_id, stage, worker_id, outcome, queued_at, started_at, error_kind, error_code, error_text)
      select run_id, part, attempt, tenant_id, stage, worker_id, $7, queued_at, claimed_at, $8, $9, $11 from released`,
    values: [
      ...[lease.id, lease.part, lease.attempt, state, delayMs, failure],
      ...[end.outcome, end.errorKind, end.errorCode, end.failures, end.errorText, end.waitReason],
    ],
  });
}

export async function forgetParts(db: Queryable, runId: string): Promise<void> {
  await db.query({ name: 'engine-forget-parts', text: 'delete from engine.parts where run_id = $1', values: [runId] });
}

// Takes runs from the queue for one worker: ready → leases, attempt + 1, all in one statement.
//
// The round over all lanes is in `claim-round.ts`; here is what every claim shares, and the claims of one run or one lane.
// Lock order, here and everywhere: queue row or lease, then ledger.
import type { Pool, Queryable } from '../../platform/database.ts';
import { type EarlyRows, queryEarly } from '../../platform/early-rows.ts';
import type { Failures } from '../retry-policy.ts';

export interface ClaimedRow {
  readonly id: string;
  readonly tenant_id: string;
  readonly pipeline: string;
  readonly status: string;
  readonly lane: string;
  readonly priority: number;
  readonly attempt: number;
  readonly worker_id: string;
  /** Left out: a run was claimed, not a part of one. */
  readonly part?: string;
  /** Whether others may be at work on other parts; left out: as the part says. */
  readonly shared?: boolean;
  /** Null where it is large: it is read when the run begins. */
  readonly input: unknown;
  /** Null when there were none. */
  readonly failures: Failures | null;
  readonly blob_id: string | null;
  readonly retry_of: string | null;
  readonly correlation_id: string | null;
  readonly created_by: string | null;
  /** Milliseconds since 1970, as `age_ms`: dates as text cost both sides a microsecond per run. */
  readonly created_ms: number;
  /** By the engine's clock, when it was claimed; a worker's own clock may be wrong. */
  readonly age_ms: number;
}

/** Who claims, and what this process knows of its pipelines: the first three parameters of every claim. */
export interface Claimant {
  readonly workerId: string;
  /** Pipelines whose lanes have a cap. */
  readonly capped: readonly string[];
  /** Pipelines that announce each start. */
  readonly announced: readonly string[];
}

/** So many runs of a lane may be claimed before its turn. */
export const FEW_RUNS = 10;

/** An input that is stored in more bytes than this is not part of a claim, nor one that the server has packed and that is longer than this as text. */
const MOST_INPUT_BYTES = 2_000;
const MOST_UNPACKED_BYTES = 16_000;

/** Only a worker that is alive may claim: one that woke up after it was declared lost must first be reborn. */
export const isAlive = `exists (select from engine.workers w where w.worker_id = $1 and w.ended_at is null and w.expires_at > engine.now())`;

/**
 * Steps shared by all claims once `picked (run_id, pipeline, queued_at)` holds the rows taken from the queue. The arrow is
 * looked up by the queue's pipeline, not the ledger's: joined on r.pipeline, the planner read all runs of the pipeline at
 * every claim (20 of 26 ms over 20,000 runs). And what was picked goes through arrays, which the planner takes for ten rows: it
 * takes a limit for a tenth of the queue, and with a long queue and a large ledger it read the whole ledger at every claim. The rows of
 * the queue are found by arrays of their places for the same reason: joined, a queue that was last counted when it was empty was
 * compared row by row with everything chosen.
 */
export const leasePicked = `
  claimed as (
    update engine.runs r
    set status = t.to_status,
        phase = t.to_phase,
        attempt = r.attempt + 1,
        started_at = coalesce(r.started_at, engine.now()),
        wait_reason = null,
        updated_at = engine.now()
    from unnest(array(select run_id from picked), array(select pipeline from picked), array(select queued_at from picked))
           as p (run_id, pipeline, queued_at),
         engine.transitions t
    where r.id = p.run_id
      and t.pipeline = p.pipeline and t.from_status = r.status and t.event = 'claim'
    returning r.id, r.tenant_id, r.pipeline, r.status, r.lane, r.priority, r.attempt, r.input, r.failures, r.blob_id, r.retry_of,
              r.correlation_id, r.created_by, r.created_at, t.to_stage, p.queued_at
  ),
  leased as (
    insert into engine.leases (run_id, attempt, worker_id, tenant_id, pipeline, lane, stage, capped, queued_at)
    select id, attempt, $1::uuid, tenant_id, pipeline, lane, to_stage, pipeline = any ($2::text[]), queued_at from claimed
  ),
  told as (
    insert into engine.events (tenant_id, run_id, type, key, data)
    select c.tenant_id, c.id, 'run.started', c.attempt::text,
           jsonb_build_object('pipeline', c.pipeline, 'status', c.status, 'stage', c.to_stage, 'attempt', c.attempt)
    from claimed c
    where c.pipeline = any ($3::text[])
    returning event_id
  ),
  posted as (
    insert into engine.event_inbox (event_id) select event_id from told
  )`;

/**
 * What a claim answers with. Large inputs stay behind until their run begins (`readInput`): a worker that claims 2,000 short runs
 * ahead would hold 500 MB of them. The size is the stored one, so the server need not unpack an input to leave it behind; only where it has packed one
 * into that little is it asked how long it is: 150 KB of one letter are stored in 1,743 bytes.
 */
export const claimedRows = `
  select id, tenant_id, pipeline, status, lane, priority, attempt, $1::uuid as worker_id,
         case when pg_column_size(input) <= ${MOST_INPUT_BYTES}
                and (pg_column_compression(input) is null or octet_length(input::text) <= ${MOST_UNPACKED_BYTES}) then input end as input,
         nullif(failures, '{}') as failures, blob_id, retry_of,
         correlation_id, created_by, date_part('epoch', created_at) * 1000 as created_ms,
         date_part('epoch', engine.now() - created_at) * 1000 as age_ms
  from claimed`;

/**
 * One run for a worker that found nothing when it last looked, from whichever lane comes first: who wakes it waits for nobody.
 * Costs the server 0.2 ms less than looking at all lanes, and is answered while its commit is under way. Where anything is
 * paused: none.
 */
export function claimFirst(
  pool: Pool,
  by: Claimant,
  pipelines: readonly string[],
  /** Runs with smaller ids are passed over. */
  beginAt: string,
): Promise<EarlyRows<ClaimedRow>> {
  return queryEarly<ClaimedRow>(pool, {
    name: 'engine-claim-first',
    text: `
      with picked as (
        delete from engine.ready q
        where q.ctid = (
          select head.at
          from unnest($4::text[]) as p (pipeline)
          cross join lateral (
            select r.ctid as at from engine.ready r
            where r.pipeline = p.pipeline and not r.solo and r.run_id >= $5::uuid
            order by r.lane, r.priority, r.run_id
            limit 1
            for update skip locked
          ) head
          where not exists (select from engine.pauses) and ${isAlive}
          limit 1
        )
        returning q.run_id, q.pipeline, q.queued_at
      ),
      ${leasePicked}
      ${claimedRows}`,
    values: [by.workerId, by.capped, by.announced, pipelines, beginAt],
  });
}

/** A few runs of each of the lanes named, of pipelines without a lane cap. */
export async function claimFew(
  db: Queryable,
  by: Claimant,
  lanes: readonly { readonly pipeline: string; readonly lane: string }[],
): Promise<ClaimedRow[]> {
  const { rows } = await db.query<ClaimedRow>({
    name: 'engine-claim-few',
    text: `
      with picked as (
        delete from engine.ready q
        where q.ctid = any (array(
          select few.at
          from unnest($4::text[], $5::text[]) as l (pipeline, lane)
          cross join lateral (
            select r.ctid as at from engine.ready r
            where r.pipeline = l.pipeline and r.lane = l.lane and not r.solo
            order by r.priority, r.run_id
            limit ${FEW_RUNS}
            for update skip locked
          ) few
          where not exists (select from engine.pauses p where p.pipeline = l.pipeline and p.lane in ('', l.lane)) and ${isAlive}
        ))
        returning q.run_id, q.pipeline, q.queued_at
      ),
      ${leasePicked}
      ${claimedRows}`,
    values: [
      by.workerId,
      by.capped,
      by.announced,
      lanes.map(({ pipeline }) => pipeline),
      lanes.map(({ lane }) => lane),
    ],
  });
  return rows;
}

/**
 * For one lane of a capped pipeline, after `lockLanes` gave the lane to this transaction: counts its leases in a fresh
 * snapshot and takes what the cap leaves. Counting in the statement that locks would count in an old snapshot.
 */
export async function claimCappedLane(
  db: Queryable,
  by: Claimant,
  request: { pipeline: string; lane: string; cap: number; count: number; solo?: boolean },
): Promise<ClaimedRow[]> {
  const { rows } = await db.query<ClaimedRow>({
    name: 'engine-claim-capped-lane',
    text: `
      with held as materialized (
        select count(distinct run_id)::int as leases from engine.leases where capped and pipeline = $4 and lane = $5
      ),
      picked as (
        delete from engine.ready q
        where q.ctid = any (array(
          select r.ctid from engine.ready r
          where r.pipeline = $4 and r.lane = $5 and r.solo = $8 and ${isAlive}
          order by r.priority, r.run_id
          limit least($7, greatest($6 - (select leases from held), 0))
          for update skip locked
        ))
        returning q.run_id, q.pipeline, q.queued_at
      ),
      ${leasePicked}
      ${claimedRows}`,
    values: [
      ...[by.workerId, by.capped, by.announced],
      ...[request.pipeline, request.lane, request.cap, request.count, request.solo ?? false],
    ],
  });
  return rows;
}

/** One run that must be worked on alone, of pipelines without a lane cap. */
export async function claimSolo(db: Queryable, by: Claimant, pipelines: readonly string[]): Promise<ClaimedRow[]> {
  const { rows } = await db.query<ClaimedRow>({
    name: 'engine-claim-solo',
    text: `
      with picked as (
        delete from engine.ready q
        where q.ctid = any (array(
          select r.ctid from engine.ready r
          where r.solo and r.pipeline = any ($4::text[]) and ${isAlive}
            and not exists (select from engine.pauses p where p.pipeline = r.pipeline and p.lane in ('', r.lane))
          order by r.run_id
          limit 1
          for update skip locked
        ))
        returning q.run_id, q.pipeline, q.queued_at
      ),
      ${leasePicked}
      ${claimedRows}`,
    values: [by.workerId, by.capped, by.announced, pipelines],
  });
  return rows;
}

/** Paused ones do not count: waiting for them would idle the worker. */
export async function hasSoloRun(db: Queryable, pipelines: readonly string[]): Promise<boolean> {
  const { rows } = await db.query<{ waits: boolean }>({
    name: 'engine-has-solo-run',
    text: `
      select exists (
        select from engine.ready r
        where r.solo and r.pipeline = any ($1::text[])
          and not exists (select from engine.pauses p where p.pipeline = r.pipeline and p.lane in ('', r.lane))
      ) as waits`,
    values: [pipelines],
  });
  return rows[0]?.waits ?? false;
}

/** One run by its id; caps are the caller's business, and so is working alone on a run that needs it (`solo`). */
export async function claimRunById(
  db: Queryable,
  by: Claimant,
  runId: string,
  { solo }: { readonly solo: boolean } = { solo: true },
): Promise<ClaimedRow[]> {
  const { rows } = await db.query<ClaimedRow>({
    name: 'engine-claim-run-by-id',
    text: `
      with picked as (
        delete from engine.ready q
        using (
          select d.ctid as at
          from engine.runs r
          join engine.ready d on d.pipeline = r.pipeline and d.lane = r.lane and d.priority = r.priority and d.run_id = r.id
          where r.id = $4 and ${isAlive} and ($5 or not d.solo)
            and not exists (select from engine.pauses p where p.pipeline = d.pipeline and p.lane in ('', d.lane))
          for update of d skip locked
        ) c
        where q.ctid = c.at
        returning q.run_id, q.pipeline, q.queued_at
      ),
      ${leasePicked}
      ${claimedRows}`,
    values: [by.workerId, by.capped, by.announced, runId, solo],
  });
  return rows;
}

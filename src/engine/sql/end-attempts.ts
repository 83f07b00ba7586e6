// Ends attempts: lease gone, ledger moved along an arrow, next stage queued or retry planned, history and events written.
// One statement for a batch of any mix of endings. The lease row is the fence: an attempt that no longer has one moves nothing. A lease that
// somebody else has locked at the moment is skipped, so that ends wait for nobody.
//
// Leases come and go, so what the planner believes of their number is mostly wrong. Joined with them, a batch of 1,000 ends was compared with
// every lease there was: 3 s instead of 30 ms, for as long as the table had last been counted when it was nearly empty. Therefore
// nothing here leaves the planner a choice: single look-ups by key (lateral … limit 1), arrays, `(… in …) is true`, which is a hashed
// look-up and never a join, and `(worker_id = …) is true`, which no index of workers can answer.
import type { Queryable } from '../../platform/database.ts';
import { arrayLiteral } from './array-literal.ts';
import { isSuspect } from './suspects.ts';

export interface AttemptEnd {
  readonly runId: string;
  readonly part: string;
  readonly attempt: number;
  readonly workerId: string;
  /** The commits that must stand in the database, by checkpoint part: where fewer do, the attempt ends nothing. Null: not asked. */
  readonly commits: string | null;
  readonly pipeline: string;
  readonly fromStatus: string;
  readonly event: string;
  /** What the history says: the event's name, or `lost`, `released`, `cancelled`. */
  readonly outcome: string;
  readonly receipt: string | null;
  /** Null leaves the counts as they are. */
  readonly failures: string | null;
  readonly waitReason: string | null;
  readonly delayMs: number | null;
  readonly errorKind: string | null;
  readonly errorCode: string | null;
  readonly errorText: string | null;
}

export interface EndedEvent {
  readonly runId: string;
  readonly type: string;
  readonly key: string;
  readonly data: string;
}

export interface EndedRow {
  readonly id: string;
  readonly phase: string;
  readonly pipeline: string;
}

export async function endAttempts(
  db: Queryable,
  ends: readonly AttemptEnd[],
  events: readonly EndedEvent[] = [],
): Promise<EndedRow[]> {
  const { rows } = await db.query<EndedRow>({
    name: 'engine-end-attempts',
    text: `
      with held as materialized (
        select g.*, l.worker_id, l.stage, l.queued_at, l.claimed_at, t.to_status, t.to_phase, t.to_stage
        from unnest(
          $1::uuid[], $2::int[], $3::text[], $4::text[], $5::text[], $6::text[], $7::jsonb[], $8::jsonb[],
          $9::jsonb[], $10::float8[], $11::text[], $12::text[], $13::text[], $18::text[], $19::uuid[], $20::jsonb[]
        ) as g (
          run_id, attempt, pipeline, from_status, event, outcome, receipt, failures,
          wait_reason, delay_ms, error_kind, error_code, error_text, part, held_by, commits
        )
        join engine.transitions t on t.pipeline = g.pipeline and t.from_status = g.from_status and t.event = g.event
        cross join lateral (
          select worker_id, stage, queued_at, claimed_at
          from engine.leases
          where run_id = g.run_id and part = g.part and attempt = g.attempt and (worker_id = g.held_by) is true
          limit 1
          for update skip locked
        ) l
        where g.commits is null or not exists (
          select from jsonb_each_text(g.commits) e
          where e.value::bigint is distinct from (
            select c.commits from engine.checkpoints c
            where c.run_id = g.run_id and c.stage = l.stage and c.part = e.key
            limit 1
          )
        )
      ),
      released as (
        delete from engine.leases l
        where l.run_id = any (array(select run_id from held))
          and ((l.run_id, l.part, l.attempt) in (select run_id, part, attempt from held)) is true
        returning l.run_id
      ),
      moved as (
        update engine.runs r
        set status = x.to_status,
            phase = x.to_phase,
            receipt = coalesce(x.receipt, r.receipt),
            failures = coalesce(x.failures, r.failures),
            wait_reason = x.wait_reason,
            held_at = case when x.event = 'ask' then engine.now() end,
            held_by = case when x.event = 'ask' then 'a question' end,
            error_code = x.error_code,
            error_text = x.error_text,
            active_key = case when x.to_phase in ('done', 'failed', 'dead') then null else r.active_key end,
            cancel_requested_at = case when x.to_phase = 'waiting' then r.cancel_requested_at end,
            finished_at = case when x.to_phase in ('done', 'failed', 'dead') then engine.now() end,
            updated_at = engine.now()
        from held x
        where r.id = x.run_id and (x.run_id in (select run_id from released)) is true
        returning r.id, r.tenant_id, r.pipeline, r.lane, r.priority, r.status, r.phase, r.finished_at, r.receipt,
                  x.part, x.attempt, x.worker_id, x.stage, x.queued_at, x.claimed_at, x.event, x.outcome, x.wait_reason,
                  x.delay_ms, ${isSuspect('r.failures', 'x.to_stage')} as solo, x.error_kind, x.error_code, x.error_text
      ),
      queued as (
        insert into engine.ready (pipeline, lane, priority, run_id, solo)
        select pipeline, lane, priority, id, solo from moved where phase = 'waiting' and delay_ms is null and event <> 'ask'
      ),
      later as (
        insert into engine.scheduled (run_id, pipeline, lane, priority, solo, available_at)
        select id, pipeline, lane, priority, solo, engine.now() + delay_ms * interval '1 millisecond'
        from moved where phase = 'waiting' and delay_ms is not null
      ),
      history as (
        insert into engine.attempts (run_id, part, attempt, tenant_id, stage, worker_id, outcome, queued_at, started_at, error_kind, error_code, error_text)
        select id, part, attempt, tenant_id, stage, worker_id, outcome, queued_at, claimed_at, error_kind, error_code, error_text from moved
      ),
      flagged as (
        insert into engine.flagged_runs (tenant_id, run_id, pipeline, status, phase, finished_at)
        select tenant_id, id, pipeline, status, phase, finished_at
        from moved where phase in ('failed', 'dead') or (phase = 'done' and event <> 'complete')
      ),
      told as (
        insert into engine.events (tenant_id, run_id, type, key, data)
        select m.tenant_id, m.id,
               case when m.outcome = 'lost' and m.phase = 'waiting' then 'run.taken_over'
                    when m.event = 'ask' then 'run.asked'
                    when m.phase = 'waiting' and m.event in ('release', 'retry') then 'run.released'
                    when m.phase = 'waiting' then 'run.staged'
                    else 'run.' || m.phase end,
               case when m.phase = 'waiting' then m.attempt::text else '' end,
               jsonb_strip_nulls(jsonb_build_object(
                 'pipeline', m.pipeline, 'status', m.status, 'stage', m.stage, 'attempt', m.attempt,
                 'error_code', m.error_code, 'wait_reason', m.wait_reason))
        from moved m
        returning event_id
      ),
      told_more as (
        insert into engine.events (tenant_id, run_id, type, key, data)
        select r.tenant_id, e.run_id, e.type, e.key, e.data
        from unnest($14::uuid[], $15::text[], $16::text[], $17::jsonb[]) as e (run_id, type, key, data)
        cross join lateral (select tenant_id from engine.runs where id = e.run_id limit 1) r
        where (e.run_id in (select id from moved)) is true
        on conflict (run_id, type, key) where run_id is not null do nothing
        returning event_id
      ),
      posted as (
        insert into engine.event_inbox (event_id) select event_id from told union all select event_id from told_more
      )
      select id, phase, pipeline from moved`,
    values: [
      arrayLiteral(ends, (end) => end.runId),
      arrayLiteral(ends, (end) => end.attempt),
      arrayLiteral(ends, (end) => end.pipeline),
      arrayLiteral(ends, (end) => end.fromStatus),
      arrayLiteral(ends, (end) => end.event),
      arrayLiteral(ends, (end) => end.outcome),
      arrayLiteral(ends, (end) => end.receipt),
      arrayLiteral(ends, (end) => end.failures),
      arrayLiteral(ends, (end) => end.waitReason),
      arrayLiteral(ends, (end) => end.delayMs),
      arrayLiteral(ends, (end) => end.errorKind),
      arrayLiteral(ends, (end) => end.errorCode),
      arrayLiteral(ends, (end) => end.errorText),
      arrayLiteral(events, (event) => event.runId),
      arrayLiteral(events, (event) => event.type),
      arrayLiteral(events, (event) => event.key),
      arrayLiteral(events, (event) => event.data),
      arrayLiteral(ends, (end) => end.part),
      arrayLiteral(ends, (end) => end.workerId),
      arrayLiteral(ends, (end) => end.commits),
    ],
  });
  return rows;
}

// Ends attempts that all came to the same plain end: done, with equal receipts, no error, no retry, no event of their own. What they
// share is said once, so a run takes 17 µs of the server instead of the 25 µs of `endAttempts`, which can end anything. The lease row is
// the fence here, too. As there, nothing leaves the planner a choice.
import type { Queryable } from '../../platform/database.ts';
import { arrayLiteral } from './array-literal.ts';

export interface AlikeEnd {
  readonly pipeline: string;
  readonly fromStatus: string;
  readonly event: string;
  readonly receipt: string;
}

export interface EndedAttempt {
  readonly id: string;
  readonly attempt: number;
}

/** Which runs have moved; `all` of them, as a rule. */
export async function endAlike(
  db: Queryable,
  end: AlikeEnd,
  attempts: readonly EndedAttempt[],
): Promise<'all' | readonly string[]> {
  const { rows } = await db.query<{ moved: number; ids: string[] | null }>({
    name: 'engine-end-alike',
    text: `
      with released as (
        delete from engine.leases l
        where l.run_id = any ($1::uuid[])
          and ((l.run_id, l.attempt) in (select * from unnest($1::uuid[], $2::int[]))) is true
          and exists (
            select from engine.transitions
            where pipeline = $3 and from_status = $4 and event = $5 and to_phase = 'done'
          )
        returning l.run_id, l.attempt, l.tenant_id, l.worker_id, l.stage, l.queued_at, l.claimed_at
      ),
      moved as (
        update engine.runs r
        set status = t.to_status,
            phase = t.to_phase,
            receipt = $6::jsonb,
            wait_reason = null,
            error_code = null,
            error_text = null,
            active_key = null,
            cancel_requested_at = null,
            finished_at = engine.now(),
            updated_at = engine.now()
        from released x, engine.transitions t
        where r.id = x.run_id and t.pipeline = $3 and t.from_status = $4 and t.event = $5
        returning r.id, r.status, x.attempt, x.tenant_id, x.worker_id, x.stage, x.queued_at, x.claimed_at
      ),
      history as (
        insert into engine.attempts (run_id, attempt, tenant_id, stage, worker_id, outcome, queued_at, started_at)
        select id, attempt, tenant_id, stage, worker_id, $5, queued_at, claimed_at from moved
      ),
      told as (
        insert into engine.events (tenant_id, run_id, type, data)
        select tenant_id, id, 'run.done',
               jsonb_build_object('pipeline', $3::text, 'status', status, 'stage', stage, 'attempt', attempt)
        from moved
        returning event_id
      ),
      posted as (
        insert into engine.event_inbox (event_id) select event_id from told
      )
      select count(*)::int as moved, case when count(*) < cardinality($1::uuid[]) then array_agg(id) end as ids from moved`,
    values: [
      arrayLiteral(attempts, ({ id }) => id),
      arrayLiteral(attempts, ({ attempt }) => attempt),
      ...[end.pipeline, end.fromStatus, end.event, end.receipt],
    ],
  });
  const { moved = 0, ids = null } = rows[0] ?? {};
  return moved === attempts.length ? 'all' : (ids ?? []);
}

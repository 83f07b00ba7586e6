// Ends attempts that all came to the same plain end: done, with equal receipts, no error, no retry, no event of their own. What they
// share is said once, so a run takes 10.7 µs of the server instead of the 18.6 µs of `endAttempts`, which can end anything: a fifth of all that
// a run of a drain costs both sides. The lease row is the fence here, too. As there, nothing leaves the planner a choice.
import type { Queryable } from '../../platform/database.ts';
import { arrayLiteral } from './array-literal.ts';

export interface AlikeEnd {
  readonly attempt: number;
  readonly workerId: string;
  readonly pipeline: string;
  readonly stage: string;
  readonly fromStatus: string;
  readonly event: string;
  readonly receipt: string;
}

/** Which runs have moved; `all` of them, as a rule. */
export async function endAlike(
  db: Queryable,
  end: AlikeEnd,
  runIds: readonly string[],
): Promise<'all' | readonly string[]> {
  const { rows } = await db.query<{ moved: number; ids: string[] | null }>({
    name: 'engine-end-alike',
    text: `
      with arrow as materialized (
        select to_status, to_phase from engine.transitions
        where pipeline = $3 and from_status = $5 and event = $6 and to_phase = 'done'
      ),
      released as (
        delete from engine.leases l
        where l.ctid = any (array(
            select ctid from engine.leases
            where run_id = any ($1::uuid[]) and part = '' and attempt = $2 and (worker_id = $8) is true and exists (select from arrow)
            for update skip locked
          ))
        returning l.run_id, l.tenant_id, l.worker_id, l.queued_at, l.claimed_at
      ),
      moved as (
        update engine.runs r
        set status = t.to_status,
            phase = t.to_phase,
            receipt = $7::jsonb,
            wait_reason = null,
            error_code = null,
            error_text = null,
            active_key = null,
            cancel_requested_at = null,
            finished_at = engine.now(),
            updated_at = engine.now()
        from released x, arrow t
        where r.id = x.run_id
        returning r.id, x.tenant_id, x.worker_id, x.queued_at, x.claimed_at
      ),
      history as (
        insert into engine.attempts (run_id, attempt, tenant_id, stage, worker_id, outcome, queued_at, started_at)
        select id, $2, tenant_id, $4, worker_id, $6, queued_at, claimed_at from moved
      ),
      told as (
        insert into engine.events (tenant_id, run_id, type, data)
        select tenant_id, id, 'run.done', (
          select jsonb_build_object('pipeline', $3::text, 'status', to_status, 'stage', $4::text, 'attempt', $2::int) from arrow
        )
        from moved
        returning event_id
      ),
      posted as (
        insert into engine.event_inbox (event_id) select event_id from told
      )
      select count(*)::int as moved, case when count(*) < cardinality($1::uuid[]) then array_agg(id) end as ids from moved`,
    values: [
      arrayLiteral(runIds, (id) => id),
      ...[end.attempt, end.pipeline, end.stage, end.fromStatus, end.event, end.receipt, end.workerId],
    ],
  });
  const { moved = 0, ids = null } = rows[0] ?? {};
  return moved === runIds.length ? 'all' : (ids ?? []);
}

// Runs that are delivered by id: into the queue when their delivery arrives, and to their end when it cannot be made. Lock order as
// everywhere: queue row first, then ledger.
import type { Queryable } from '../../platform/database.ts';
import { endedColumns, endIsTold, leavesQueue } from './ending-waiting-runs.ts';

/** taken: the worker has it · busy: it has no free slot · none: the run is not to be claimed now */
export type Delivered = 'taken' | 'busy' | 'none';

/** A run that waits for its delivery may be claimed now. A run that has begun before keeps the time its retry was planned for. */
export async function makeClaimable(db: Queryable, runId: string): Promise<void> {
  await db.query({
    name: 'engine-make-claimable',
    text: `
      with due as (
        delete from engine.scheduled s using engine.runs r
        where s.run_id = $1 and r.id = s.run_id and r.attempt = 0
        returning s.pipeline, s.lane, s.priority, s.run_id, s.solo
      )
      insert into engine.ready (pipeline, lane, priority, run_id, solo)
      select pipeline, lane, priority, run_id, solo from due`,
    values: [runId],
  });
}

export interface Released {
  readonly released: number;
  /** The last one that was looked at; null when there are no more. */
  readonly last: string | null;
}

/** The same for all runs of a pipeline that is not delivered any more, some at a time in the order of their ids. */
export async function makeSomeClaimable(
  db: Queryable,
  pipeline: string,
  after: string | null,
  limit: number,
): Promise<Released> {
  const { rows } = await db.query<Released>({
    name: 'engine-make-some-claimable',
    text: `
      with looked as (
        select run_id, pipeline from engine.scheduled
        where run_id > coalesce($2, '00000000-0000-0000-0000-000000000000'::uuid)
        order by run_id
        limit $3
      ),
      due as (
        delete from engine.scheduled s
        using looked l cross join lateral (select x.attempt from engine.runs x where x.id = l.run_id limit 1) r
        where s.run_id = l.run_id and l.pipeline = $1 and r.attempt = 0
        returning s.pipeline, s.lane, s.priority, s.run_id, s.solo
      ),
      queued as (
        insert into engine.ready (pipeline, lane, priority, run_id, solo)
        select pipeline, lane, priority, run_id, solo from due
        returning 1
      )
      select (select count(*)::int from queued) as released, (select run_id from looked order by run_id desc limit 1) as last`,
    values: [pipeline, after, limit],
  });
  return rows[0] ?? { released: 0, last: null };
}

export interface UndeliveredRun {
  readonly tenantId: string;
  readonly runId: string;
  readonly code: string;
  readonly text: string;
  /** Left out: only a run that no worker has ever begun. */
  readonly hasBegun?: boolean;
}

/** Fails a run that waits and whose delivery did not succeed. False when it does not wait: somebody has it, or it has ended. Held runs wait on. */
export async function failUndelivered(db: Queryable, run: UndeliveredRun): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'engine-fail-undelivered',
    text: `
      with wanted as (
        select id, pipeline, lane, priority from engine.runs
        where id = $2 and tenant_id = $1 and phase = 'waiting' and held_at is null and ($5 or attempt = 0)
      ), ${leavesQueue},
      ended as (
        update engine.runs r
        set status = t.to_status, phase = t.to_phase, error_code = $3, error_text = $4, active_key = null, wait_reason = null,
            finished_at = engine.now(), updated_at = engine.now()
        from (select run_id from unqueued union all select run_id from unplanned) taken, engine.transitions t
        where r.id = taken.run_id and r.phase = 'waiting'
          and t.pipeline = r.pipeline and t.from_status = r.status and t.event = 'fail'
        returning ${endedColumns}
      ), ${endIsTold}`,
    values: [run.tenantId, run.runId, run.code, run.text, run.hasBegun ?? false],
  });
  return rowCount === 1;
}

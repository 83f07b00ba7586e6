// Takes runs back from workers that have gone silent.
import type { Queryable } from '../../platform/database.ts';
import type { Failures } from '../retry-policy.ts';
import { cancelEventOf } from './cancel-event.ts';

export interface LostLease {
  readonly run_id: string;
  readonly part: string;
  readonly attempt: number;
  readonly pipeline: string;
  readonly stage: string;
  readonly worker_id: string;
  readonly claimed_at: Date;
  readonly status: string;
  readonly failures: Failures;
  readonly cancel_requested_by: string | null;
  /** What ends it when it was cancelled. */
  readonly cancel_event: 'cancel' | 'fail';
  readonly lost_limit: number;
  readonly lost_action: 'requeue' | 'fail';
}

/**
 * Declares expired workers lost and returns up to `limit` of their leases, locked FOR UPDATE by this transaction. A lease
 * under an open effects transaction is skipped: it comes free when that transaction ends or is timed out by the server.
 * The worker row is locked first, so that a heartbeat cannot revive it half way.
 */
export async function lockLostLeases(db: Queryable, limit: number): Promise<LostLease[]> {
  const { rows } = await db.query<LostLease>({
    name: 'engine-lock-lost-leases',
    text: `
      with silent as (
        select worker_id from engine.workers
        where expires_at < engine.now() and (ended_at is null or end_reason = 'lost')
          and exists (select from engine.leases l where l.worker_id = engine.workers.worker_id)
        for update skip locked
      ),
      declared as (
        update engine.workers w
        set ended_at = engine.now(), end_reason = 'lost'
        from silent s
        where w.worker_id = s.worker_id and w.ended_at is null
      )
      select l.run_id, l.part, l.attempt, l.pipeline, l.stage, l.worker_id, l.claimed_at, r.status, r.failures,
             case when r.cancel_requested_at is not null then r.cancel_requested_by end as cancel_requested_by,
             ${cancelEventOf('l.pipeline', 'r.status')} as cancel_event, p.lost_limit, p.lost_action
      from engine.leases l
      join silent s on s.worker_id = l.worker_id
      join engine.runs r on r.id = l.run_id
      join engine.pipelines p on p.pipeline = l.pipeline
      order by l.run_id
      limit $1
      for update of l skip locked`,
    values: [limit],
  });
  return rows;
}

/** Workers that hold nothing and went silent just end. */
export async function endSilentWorkers(db: Queryable): Promise<void> {
  await db.query({
    name: 'engine-end-silent-workers',
    text: `
      update engine.workers w
      set ended_at = engine.now(), end_reason = 'lost'
      where w.expires_at < engine.now() and w.ended_at is null
        and not exists (select from engine.leases l where l.worker_id = w.worker_id)`,
  });
}

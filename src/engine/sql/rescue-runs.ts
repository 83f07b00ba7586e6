// Takes runs back from workers that are silent, have ended, or are unknown: after a failover, or when a claim was committed after its worker had
// stopped.
import type { Queryable } from '../../platform/database.ts';
import type { Failures } from '../retry-policy.ts';
import { cancelEventOf } from './cancel-event.ts';
import { PROTOCOL } from './workers.ts';

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
  /** It was worked on; a run that was claimed ahead may not have been. */
  readonly began: boolean;
  /** It committed something. */
  readonly progressed: boolean;
  readonly cancel_requested_by: string | null;
  /** What ends it when it was cancelled. */
  readonly cancel_event: 'cancel' | 'fail';
  readonly lost_limit: number;
  readonly lost_action: 'requeue' | 'fail';
  /** The pipeline's own word for it. */
  readonly lost_code: string | null;
  /** Others may be at work on other parts. */
  readonly shared: boolean;
}

/**
 * Workers that hold leases and are no more. Those that have only gone silent are declared lost here: from then on a heartbeat cannot revive
 * them. The holders are found by a loose index scan, a probe for each whatever it holds.
 */
export async function declareLostWorkers(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ worker_id: string }>({
    name: 'engine-declare-lost-workers',
    text: `
      with recursive holders (worker_id) as (
        (select worker_id from engine.leases order by worker_id limit 1)
        union all
        select (select l.worker_id from engine.leases l where l.worker_id > h.worker_id order by l.worker_id limit 1)
        from holders h
        where h.worker_id is not null
      ),
      seen as materialized (
        select h.worker_id, w.found, w.ended_at
        from holders h
        left join lateral (
          select true as found, ended_at, expires_at from engine.workers where worker_id = h.worker_id limit 1
        ) w on true
        where h.worker_id is not null and (w.found is null or w.ended_at is not null or w.expires_at < engine.now())
      ),
      declared as (
        update engine.workers w
        set ended_at = engine.now(), end_reason = 'lost', ended_by = ${PROTOCOL}
        where w.worker_id = any (array(select worker_id from seen where found and ended_at is null))
          and w.ended_at is null and w.expires_at < engine.now()
        returning w.worker_id
      )
      select worker_id from seen where found is null or ended_at is not null
      union all
      select worker_id from declared`,
  });
  return rows.map((row) => row.worker_id);
}

/**
 * Up to `limit` leases of these workers, locked FOR UPDATE by this transaction. A lease under an open effects transaction is skipped: it comes
 * free when that transaction ends or is ended.
 */
export async function lockLostLeases(db: Queryable, workerIds: readonly string[], limit: number): Promise<LostLease[]> {
  const { rows } = await db.query<LostLease>({
    name: 'engine-lock-lost-leases',
    text: `
      select l.run_id, l.part, l.attempt, l.pipeline, l.stage, l.worker_id, l.claimed_at, r.status, r.failures, l.began,
             coalesce((
               select true from engine.checkpoints c where c.run_id = l.run_id and c.stage = l.stage and c.attempt = l.attempt limit 1
             ), false) as progressed,
             case when r.cancel_requested_at is not null then r.cancel_requested_by end as cancel_requested_by,
             ${cancelEventOf('l.pipeline', 'r.status')} as cancel_event, p.lost_limit, p.lost_action, p.lost_code,
             coalesce((select true from engine.parts x where x.run_id = l.run_id limit 1), false) as shared
      from unnest($1::uuid[]) lost (worker_id)
      cross join lateral (
        select * from engine.leases where worker_id = lost.worker_id limit $2 for update skip locked
      ) l
      cross join lateral (select * from engine.runs where id = l.run_id limit 1) r
      join engine.pipelines p on p.pipeline = l.pipeline
      order by l.run_id, l.part
      limit $2`,
    values: [workerIds, limit],
  });
  return rows;
}

/** Ends the connections that still hold leases of these workers: a frozen process neither reads its answer nor lets go. How many. */
export async function endLostEffects(db: Queryable, workerIds: readonly string[], limit: number): Promise<number> {
  const { rows } = await db.query<{ ended: number }>({
    name: 'engine-end-lost-effects',
    text: `
      select coalesce(sum(greatest(engine.stop_effects(l.run_id, l.part, l.attempt, true), 0)), 0)::int as ended
      from (
        select run_id, part, attempt from engine.leases where worker_id = any ($1::uuid[]) order by run_id, part limit $2
      ) l`,
    values: [workerIds, limit],
  });
  return rows[0]?.ended ?? 0;
}

/** Workers that hold nothing and went silent just end. */
export async function endSilentWorkers(db: Queryable): Promise<void> {
  await db.query({
    name: 'engine-end-silent-workers',
    text: `
      update engine.workers w
      set ended_at = engine.now(), end_reason = 'lost', ended_by = ${PROTOCOL}
      where w.expires_at < engine.now() and w.ended_at is null
        and not exists (select from engine.leases l where l.worker_id = w.worker_id)`,
  });
}

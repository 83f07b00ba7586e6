// Forgetting, in bounded batches. Runs with a unique_key are kept: their key must refuse the same batch for ever.
import type { Queryable } from '../../platform/database.ts';

async function prune(db: Queryable, name: string, text: string, days: number, limit: number): Promise<number> {
  const { rowCount } = await db.query({ name, text, values: [days, limit] });
  return rowCount ?? 0;
}

// engine.now() is volatile, and a volatile bound is not looked up in an index but asked of every row: (select …) asks once. What a limit
// picked is found again through arrays or single look-ups: the planner takes an unknown limit for a tenth of the table, and joined
// with it the pruner read every event there was at each start (0.6 s of a million).

/** The first uuid v7 of the day `days` ago ($1): what was made before comes first in every key that begins with a run's id. */
const firstIdOfDay = `(select (lpad(to_hex((extract(epoch from engine.now() - $1 * interval '1 day') * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid)`;

/**
 * Events older than `days` that every consumer has passed. Positions follow time, so only the first ones are looked at: asking
 * all of them for their age read a million events at every start.
 */
export function pruneEvents(db: Queryable, days: number, limit: number): Promise<number> {
  return prune(
    db,
    'engine-prune-events',
    `with first as materialized (
       select p.position, p.event_id
       from engine.event_positions p
       where p.position < (select coalesce(min(position), 9223372036854775807) from engine.consumers)
       order by p.position
       limit $2
     ),
     passed as (
       select f.position, f.event_id
       from first f
       cross join lateral (select created_at from engine.events where event_id = f.event_id limit 1) e
       where e.created_at < engine.now() - $1 * interval '1 day'
     ),
     unplaced as (
       delete from engine.event_positions where position = any (array(select position from passed))
     )
     delete from engine.events where event_id = any (array(select event_id from passed))`,
    days,
    limit,
  );
}

export function pruneRejects(db: Queryable, days: number, limit: number): Promise<number> {
  return prune(
    db,
    'engine-prune-rejects',
    `delete from engine.rejects r
     where r.ctid = any (array(
       select x.ctid from engine.rejects x
       where x.run_id < ${firstIdOfDay} and x.created_at < engine.now() - $1 * interval '1 day'
       order by x.run_id, x.reject_id
       limit $2))`,
    days,
    limit,
  );
}

/** Progress and checkpoints of runs that have ended are of no use to anybody but the reader of the run page. */
export function pruneLeftovers(db: Queryable, days: number, limit: number): Promise<number> {
  return prune(
    db,
    'engine-prune-leftovers',
    `with ended as (
       select r.id from engine.progress p
       cross join lateral (select id, finished_at from engine.runs where id = p.run_id limit 1) r
       where p.run_id < ${firstIdOfDay} and r.finished_at < engine.now() - $1 * interval '1 day'
       limit $2
     ),
     checkpoints as (
       delete from engine.checkpoints where run_id = any (array(select id from ended))
     )
     delete from engine.progress where run_id = any (array(select id from ended))`,
    days,
    limit,
  );
}

const runHistory = ['progress_samples', 'row_outcomes', 'decisions'] as const;

/** How runs went, second by second and row by row. Run ids are uuid v7: what runs made before the day left comes first. */
export async function pruneRunHistory(db: Queryable, days: number, limit: number): Promise<number> {
  let most = 0;
  for (const table of runHistory) {
    const removed = await prune(
      db,
      `engine-prune-${table}`,
      `delete from engine.${table} h
       where h.ctid = any (array(
         select x.ctid from engine.${table} x
         where x.run_id < ${firstIdOfDay}
         order by x.run_id
         limit $2))`,
      days,
      limit,
    );
    most = Math.max(most, removed);
  }
  return most;
}

/** Worker incarnations that ended long ago; whoever still has a lease is kept. */
export function pruneWorkers(db: Queryable, days: number, limit: number): Promise<number> {
  return prune(
    db,
    'engine-prune-workers',
    `delete from engine.workers w
     where w.worker_id = any (array(
         select worker_id from engine.workers
         where ended_at < engine.now() - $1 * interval '1 day'
         limit $2))
       and not exists (select from engine.leases l where l.worker_id = w.worker_id)`,
    days,
    limit,
  );
}

/**
 * Finished runs without a unique key, with their history. Rejects that are still kept keep their run. Ids are uuid v7, so
 * the oldest runs are the first of the primary key: the walk ends at the first run that is too young.
 */
export function pruneRuns(db: Queryable, days: number, limit: number): Promise<number> {
  return prune(
    db,
    'engine-prune-runs',
    `with old as (
       select r.id, r.tenant_id, r.status from engine.runs r
       where r.id < ${firstIdOfDay}
         and r.finished_at < engine.now() - $1 * interval '1 day'
         and r.unique_key is null
         and not exists (select from engine.rejects x where x.run_id = r.id)
       order by r.id
       limit $2
     ),
     unflagged as (
       delete from engine.flagged_runs f
       using unnest(array(select tenant_id from old), array(select status from old), array(select id from old)) as o (tenant_id, status, id)
       where f.tenant_id = o.tenant_id and f.status = o.status and f.run_id = o.id
     ),
     forgotten as (
       delete from engine.attempts where run_id = any (array(select id from old))
     )
     delete from engine.runs where id = any (array(select id from old))`,
    days,
    limit,
  );
}

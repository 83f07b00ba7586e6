// Forgetting, in bounded batches. Runs with a unique_key are kept: their key must refuse the same batch for ever.
import type { Queryable } from '../../platform/database.ts';

async function prune(db: Queryable, name: string, text: string, days: number, limit: number): Promise<number> {
  const { rowCount } = await db.query({ name, text, values: [days, limit] });
  return rowCount ?? 0;
}

// engine.now() is volatile, and a volatile bound is not looked up in an index but asked of every row: (select …) asks once.

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
       join engine.events e on e.event_id = f.event_id
       where e.created_at < engine.now() - $1 * interval '1 day'
     ),
     unplaced as (
       delete from engine.event_positions p using passed x where p.position = x.position
     )
     delete from engine.events e using passed x where e.event_id = x.event_id`,
    days,
    limit,
  );
}

export function pruneRejects(db: Queryable, days: number, limit: number): Promise<number> {
  return prune(
    db,
    'engine-prune-rejects',
    `delete from engine.rejects r
     using (
       select run_id, reject_id from engine.rejects
       where run_id < ${firstIdOfDay} and created_at < engine.now() - $1 * interval '1 day'
       order by run_id, reject_id
       limit $2
     ) old
     where r.run_id = old.run_id and r.reject_id = old.reject_id`,
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
       join engine.runs r on r.id = p.run_id
       where r.finished_at < engine.now() - $1 * interval '1 day'
       limit $2
     ),
     checkpoints as (
       delete from engine.checkpoints c using ended e where c.run_id = e.id
     )
     delete from engine.progress p using ended e where p.run_id = e.id`,
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
     using (
       select worker_id from engine.workers
       where ended_at < engine.now() - $1 * interval '1 day'
       limit $2
     ) old
     where w.worker_id = old.worker_id
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
       delete from engine.flagged_runs f using old o where f.tenant_id = o.tenant_id and f.status = o.status and f.run_id = o.id
     ),
     forgotten as (
       delete from engine.attempts a using old o where a.run_id = o.id
     )
     delete from engine.runs r using old o where r.id = o.id`,
    days,
    limit,
  );
}

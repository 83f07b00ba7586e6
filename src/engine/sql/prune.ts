// Deletes old rows in bounded batches. How runs, attempts and events move from the ledger to its history: see move-to-history.ts.
import type { Queryable } from '../../platform/database.ts';

interface PruneStatement {
  readonly name: string;
  readonly text: string;
}

async function prune(db: Queryable, statement: PruneStatement, days: number, limit: number): Promise<number> {
  const { rowCount } = await db.query({ ...statement, values: [days, limit] });
  return rowCount ?? 0;
}

// engine.now() is volatile, and a volatile bound is not looked up in an index but asked of every row: (select …) asks once. What a limit
// picked is found again through arrays or single look-ups: the planner takes an unknown limit for a tenth of the table, and joined
// with it the pruner read every event there was at each start (0.6 s of a million).

/** The first uuid v7 of so many days ago (the parameter's number): what was made before comes first in every key that begins with a run's id. */
const firstIdOfDay = (parameter: number) =>
  `(select (lpad(to_hex((extract(epoch from engine.now() - $${parameter} * interval '1 day') * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid)`;

export interface EventStep {
  readonly removed: number;
  readonly last: number | null;
  readonly looked: number;
}

/**
 * A step along the outbox: of the next `limit` events after a position, those that every consumer has passed, that are older than `days` and
 * whose run is not in the ledger (or that have none) are removed. Events of a run in the ledger leave with their run.
 */
export async function pruneEvents(db: Queryable, after: number, days: number, limit: number): Promise<EventStep> {
  const { rows } = await db.query<EventStep>({
    name: 'engine-prune-events',
    text: `
      with first as materialized (
        select p.position, p.event_id
        from engine.event_positions p
        where p.position > $1 and p.position < (select coalesce(min(position), 9223372036854775807) from engine.consumers)
        order by p.position
        limit $3
      ),
      -- Positions follow time: the walk ends at the first event that is too young.
      old as materialized (
        select f.position, f.event_id, e.run_id
        from first f
        cross join lateral (select run_id, created_at from engine.events where event_id = f.event_id limit 1) e
        where e.created_at < (select engine.now() - $2 * interval '1 day')
      ),
      passed as materialized (
        select o.position, o.event_id from old o
        where o.run_id is null or (select true from engine.runs r where r.id = o.run_id limit 1) is null
      ),
      unplaced as (
        delete from engine.event_positions where position = any (array(select position from passed))
      ),
      gone as (
        delete from engine.events where event_id = any (array(select event_id from passed))
      )
      select (select count(*)::int from passed) as removed, (select max(position) from old) as last,
             (select count(*)::int from old) as looked`,
    values: [after, days, limit],
  });
  return rows[0] as EventStep;
}

/** What runs leave behind in tables of their own, found by the run's id, and when it may go. `r` is a row, $2 is the days. */
const sideTables = {
  checkpoints: 'true',
  progress: 'true',
  progress_samples: 'true',
  row_outcomes: 'true',
  decisions: 'true',
  // What a person has not dealt with is never forgotten by its age: see `open_rejects`.
  rejects: `x.status in ('replayed', 'resolved') and x.created_at < (select engine.now() - $2 * interval '1 day')`,
  open_rejects: `x.status in ('open', 'corrected') and x.created_at < (select engine.now() - $2 * interval '1 day')`,
} as const;

export type SideTable = keyof typeof sideTables;

export interface SideStep {
  readonly removed: number;
  /** The last run that was looked at; null when there was none. */
  readonly last: string | null;
  readonly looked: number;
}

/** Runs per step: each costs a few look-ups by key. */
export const RUNS_PER_STEP = 200;

/**
 * A step along the table: looks at the next runs after `after` that were made more than `days` ago, takes those that ended as long ago or are
 * no longer in the ledger, and removes at most `limit` of their rows. A run's id is found by a loose walk, however many rows it has.
 */
export async function pruneSideTable(
  db: Queryable,
  table: SideTable,
  step: { after: string; days: number; limit: number },
): Promise<SideStep> {
  const name = table === 'open_rejects' ? 'rejects' : table;
  const { rows } = await db.query<SideStep>({
    name: `engine-prune-${table}`,
    text: `
      with recursive walk (run_id, nth) as (
        (select run_id, 1 from engine.${name} where run_id > $1 and run_id < ${firstIdOfDay(2)} order by run_id limit 1)
        union all
        select n.run_id, w.nth + 1
        from walk w
        cross join lateral (
          select t.run_id from engine.${name} t where t.run_id > w.run_id and t.run_id < ${firstIdOfDay(2)} order by t.run_id limit 1
        ) n
        where w.nth < ${RUNS_PER_STEP}
      ),
      ended as materialized (
        select w.run_id from walk w
        where (select coalesce(r.finished_at < engine.now() - $2 * interval '1 day', false)
               from engine.runs r where r.id = w.run_id limit 1) is not false
      ),
      removed as (
        delete from engine.${name} t
        where t.ctid = any (array(
          select x.ctid from engine.${name} x
          where x.run_id = any (array(select run_id from ended)) and ${sideTables[table]}
          limit $3))
        returning 1
      )
      select (select count(*)::int from removed) as removed,
             (select run_id from walk order by nth desc limit 1) as last,
             (select count(*)::int from walk) as looked`,
    values: [step.after, step.days, step.limit],
  });
  return rows[0] as SideStep;
}

/** A bucket that is full again says what one that is not there says. */
export function pruneRateLimits(db: Queryable, days: number, limit: number): Promise<number> {
  return prune(
    db,
    {
      name: 'engine-prune-rate-limits',
      text: `delete from engine.rate_limits b
     where b.key = any (array(
       select key from engine.rate_limits
       where refilled_at < (select engine.now() - $1 * interval '1 day')
         and tokens + extract(epoch from engine.now() - refilled_at) * refill_per_second >= capacity
       limit $2
       for update skip locked))`,
    },
    days,
    limit,
  );
}

/** Worker incarnations that ended long ago; one that still has a lease is kept. */
export function pruneWorkers(db: Queryable, days: number, limit: number): Promise<number> {
  return prune(
    db,
    {
      name: 'engine-prune-workers',
      text: `delete from engine.workers w
     where w.worker_id = any (array(
         select worker_id from engine.workers
         where ended_at < engine.now() - $1 * interval '1 day'
         limit $2))
       and not exists (select from engine.leases l where l.worker_id = w.worker_id)`,
    },
    days,
    limit,
  );
}

/** Ends worth a look whose run has left the history with its month. The next ones after a moment. */
export async function pruneFlaggedRuns(
  db: Queryable,
  after: Date,
  months: number,
  limit: number,
): Promise<{ removed: number; last: Date | null; looked: number }> {
  const { rows } = await db.query<{ removed: number; last: Date | null; looked: number }>({
    name: 'engine-prune-flagged-runs',
    text: `
      with looked as materialized (
        select ctid as place, run_id, finished_at from engine.flagged_runs
        where finished_at >= $1 and finished_at < (select engine.now() - $2 * interval '1 month')
        order by finished_at
        limit $3
      ),
      removed as (
        delete from engine.flagged_runs
        where ctid = any (array(
          select l.place from looked l where (select true from engine.all_runs r where r.id = l.run_id limit 1) is null))
        returning 1
      )
      select (select count(*)::int from removed) as removed, (select max(finished_at) from looked) as last,
             (select count(*)::int from looked) as looked`,
    values: [after, months, limit],
  });
  return rows[0] as { removed: number; last: Date | null; looked: number };
}

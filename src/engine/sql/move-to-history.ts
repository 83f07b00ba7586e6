// Ended runs leave the ledger for its history (engine.past_runs, in monthly partitions), with their attempts and events. Every statement moves a
// bounded number of rows, each of which is at any moment in one place: whatever is killed, nothing is lost and nothing is there twice.
// Nothing here leaves the planner a choice: look-ups by key, arrays, single look-ups (lateral … limit 1).
import type { Queryable } from '../../platform/database.ts';

// Only the holder of this advisory lock moves.
const MOVER_LOCK = 7_004;
// The class of locks of engine.refuse_past_keys(): a key is seen in the ledger or in the history, never in neither.
const KEY_LOCKS = 7_003;

export async function lockMover(db: Queryable): Promise<boolean> {
  const { rows } = await db.query<{ got: boolean }>({
    name: 'engine-lock-mover',
    text: `select pg_try_advisory_xact_lock(${MOVER_LOCK}, 0) as got`,
  });
  return rows[0]?.got ?? false;
}

export interface RunsToMove {
  /** Ended for long enough, and every event of theirs was read by every consumer. */
  readonly ids: readonly string[];
  /** The last one looked at; null when there was none. */
  readonly last: string | null;
  readonly looked: number;
}

/** Looks at the next `limit` runs of the ledger after `after`, oldest first: ids are uuid v7, so the walk ends at the first that is too young. */
export async function findRunsToMove(db: Queryable, after: string, days: number, limit: number): Promise<RunsToMove> {
  const { rows } = await db.query<RunsToMove>({
    name: 'engine-find-runs-to-move',
    text: `
      with looked as materialized (
        select id, finished_at from engine.runs
        where id > $1 and id < (select engine.least_id(engine.now() - $2 * interval '1 day'))
        order by id
        limit $3
      ),
      read_up_to as materialized (
        select coalesce(min(position), 9223372036854775807) as position from engine.consumers
      )
      select array(
               select l.id from looked l
               where l.finished_at < (select engine.now() - $2 * interval '1 day')
                 and (select true from engine.events e
                      where e.run_id = l.id
                        and coalesce((select p.position from engine.event_positions p where p.event_id = e.event_id limit 1), 9223372036854775807)
                          > (select position from read_up_to)
                      limit 1) is null
               order by l.id
             ) as ids,
             (select id from looked order by id desc limit 1) as last,
             (select count(*)::int from looked) as looked`,
    values: [after, days, limit],
  });
  return rows[0] as RunsToMove;
}

/** How many rows went; as many as `limit` means that there may be more. */
export async function moveAttempts(db: Queryable, runIds: readonly string[], limit: number): Promise<number> {
  const { rowCount } = await db.query({
    name: 'engine-move-attempts',
    text: `
      with gone as (
        delete from engine.attempts
        where ctid = any (array(select ctid from engine.attempts where run_id = any ($1::uuid[]) limit $2))
        returning *
      )
      insert into engine.past_attempts select * from gone`,
    values: [runIds, limit],
  });
  return rowCount ?? 0;
}

/** Events and their positions. Events are never altered, so what was read is what is deleted. */
export async function moveEvents(db: Queryable, runIds: readonly string[], limit: number): Promise<number> {
  const { rows } = await db.query<{ moved: number }>({
    name: 'engine-move-events',
    text: `
      with picked as materialized (
        select p.position, e.*
        from engine.events e
        cross join lateral (select position from engine.event_positions where event_id = e.event_id limit 1) p
        where e.run_id = any ($1::uuid[])
        limit $2
      ),
      unplaced as (
        delete from engine.event_positions where position = any (array(select position from picked))
      ),
      gone as (
        delete from engine.events where event_id = any (array(select event_id from picked))
      ),
      kept as (
        insert into engine.past_events select * from picked on conflict (run_id, type, key) do nothing
      )
      select count(*)::int as moved from picked`,
    values: [runIds, limit],
  });
  return rows[0]?.moved ?? 0;
}

/**
 * Of these runs, those whose keys nobody is inserting at this moment; their buckets stay locked until the end of the transaction. Whoever has a
 * bucket keeps its runs in the ledger until the next time.
 */
export async function lockKeysOf(db: Queryable, runIds: readonly string[]): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>({
    name: 'engine-lock-keys-of-runs',
    text: `
      with wanted as materialized (
        select id, unique_key, retry_of from engine.runs where id = any ($1::uuid[])
      ),
      buckets as materialized (
        select bucket, pg_try_advisory_xact_lock(${KEY_LOCKS}, bucket) as got
        from (
          select engine.key_bucket(unique_key) as bucket from wanted where unique_key is not null
          union
          select engine.key_bucket(retry_of::text) from wanted where retry_of is not null
        ) b
      )
      select w.id from wanted w
      where (w.unique_key is null or engine.key_bucket(w.unique_key) in (select bucket from buckets where got))
        and (w.retry_of is null or engine.key_bucket(w.retry_of::text) in (select bucket from buckets where got))`,
    values: [runIds],
  });
  return rows.map((row) => row.id);
}

/** The key of a run that a schedule fired is made of a moment that does not come again; any other must refuse for ever. */
const keyLasts = (run: string) =>
  `${run}.unique_key is not null and not (coalesce(${run}.source_id, '') like 'schedule:%' and starts_with(${run}.unique_key, ${run}.source_id || ':'))`;

/** After their attempts and events. */
export async function moveRuns(db: Queryable, runIds: readonly string[]): Promise<number> {
  const { rowCount } = await db.query({
    name: 'engine-move-runs',
    text: `
      with gone as (
        delete from engine.runs where id = any ($1::uuid[]) and finished_at is not null returning *
      ),
      keys as (
        insert into engine.past_keys (tenant_id, pipeline, unique_key, run_id)
        select tenant_id, pipeline, unique_key, id from gone where ${keyLasts('gone')}
      ),
      retries as (
        insert into engine.past_retries (retry_of, tenant_id, run_id)
        select retry_of, tenant_id, id from gone where retry_of is not null
      )
      insert into engine.past_runs select * from gone`,
    values: [runIds],
  });
  return rowCount ?? 0;
}

export async function addHistoryMonth(db: Queryable, month: string): Promise<void> {
  await db.query({ name: 'engine-add-history-month', text: `select engine.add_history_month($1)`, values: [month] });
}

/** Attached months that ended more than so many months ago, oldest first. */
export async function listOldMonths(db: Queryable, months: number): Promise<string[]> {
  const { rows } = await db.query<{ month: string }>({
    name: 'engine-list-old-months',
    text: `select month from engine.history_months where month < date_trunc('month', engine.now()) - $1 * interval '1 month'`,
    values: [months],
  });
  return rows.map((row) => row.month);
}

/** Runs of the month whose key lasts outlive it. How many went. */
export async function keepKeyedRuns(db: Queryable, month: string, limit: number): Promise<number> {
  const { rowCount } = await db.query({
    name: 'engine-keep-keyed-runs',
    text: `
      with gone as (
        delete from engine.past_runs
        where id = any (array(
          select r.id from engine.past_runs r
          where r.id >= engine.least_id($1::date::timestamp at time zone 'UTC')
            and r.id < engine.least_id(($1::date + interval '1 month') at time zone 'UTC')
            and ${keyLasts('r')}
          limit $2))
        returning *
      )
      insert into engine.kept_runs select * from gone`,
    values: [month, limit],
  });
  return rowCount ?? 0;
}

/** Null: nothing stands in the way of the month's leaving. */
export async function whyMonthStays(db: Queryable, month: string): Promise<string | null> {
  const { rows } = await db.query<{ why: string | null }>({
    name: 'engine-why-month-stays',
    text: `select engine.why_month_stays($1) as why`,
    values: [month],
  });
  return rows[0]?.why ?? null;
}

export async function detachMonth(db: Queryable, month: string): Promise<void> {
  await db.query({ name: 'engine-detach-month', text: `select engine.detach_history_month($1)`, values: [month] });
}

export async function dropDetachedMonth(db: Queryable, month: string): Promise<void> {
  await db.query({
    name: 'engine-drop-detached-month',
    text: `select engine.drop_detached_month($1)`,
    values: [month],
  });
}

// Gives committed events their positions in the outbox, and reads them in that order.
import type { Queryable } from '../../platform/database.ts';

// Only the holder of this advisory lock gives out positions, so they commit in order.
const PUMP_LOCK = 7_002;

/**
 * Null when another process is pumping. Otherwise how many events got their position: always the ones with the least ids, so that the events
 * of one run, each committed before the next one is made, get theirs in order however long the inbox is.
 */
export async function positionEvents(db: Queryable, limit: number): Promise<number | null> {
  const lock = await db.query<{ got: boolean }>({
    name: 'engine-lock-pump',
    text: `select pg_try_advisory_xact_lock(${PUMP_LOCK}, 0) as got`,
  });
  if (!lock.rows[0]?.got) return null;
  const { rowCount } = await db.query({
    name: 'engine-position-events',
    text: `
      with taken as (
        delete from engine.event_inbox i
        where i.ctid = any (array(select ctid from engine.event_inbox order by event_id limit $1))
        returning i.event_id
      )
      insert into engine.event_positions (event_id)
      select event_id from taken order by event_id`,
    values: [limit],
  });
  return rowCount ?? 0;
}

export interface FeedRow {
  readonly position: number;
  readonly event_id: number;
  readonly tenant_id: string;
  readonly run_id: string | null;
  readonly type: string;
  readonly key: string;
  readonly data: Record<string, unknown>;
  readonly created_at: Date;
}

/** Which attempt a run's event tells of; 0 where it tells of none. */
export function attemptOf({ data }: Pick<FeedRow, 'data'>): number {
  return typeof data.attempt === 'number' ? data.attempt : 0;
}

export async function readFeed(db: Queryable, afterPosition: number, limit: number): Promise<FeedRow[]> {
  const { rows } = await db.query<FeedRow>({
    name: 'engine-read-feed',
    text: `
      select p.position, e.event_id, e.tenant_id, e.run_id, e.type, e.key, e.data, e.created_at
      from engine.event_positions p
      join engine.events e on e.event_id = p.event_id
      where p.position > $1
      order by p.position
      limit $2`,
    values: [afterPosition, limit],
  });
  return rows;
}

export async function lastPosition(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ position: number }>({
    name: 'engine-last-position',
    text: `select coalesce(max(position), 0) as position from engine.event_positions`,
  });
  return rows[0]?.position ?? 0;
}

export interface LockedConsumer {
  readonly position: number;
  /** Of the transaction that holds it. */
  readonly xid: string;
}

/** The consumer's offset, locked; undefined when another process has it. From here on each statement of the transaction has the given limit. */
export async function lockConsumer(
  db: Queryable,
  consumer: string,
  statementMs: number,
): Promise<LockedConsumer | undefined> {
  await db.query({
    name: 'engine-add-consumer',
    text: `insert into engine.consumers (consumer) values ($1) on conflict do nothing`,
    values: [consumer],
  });
  const { rows } = await db.query<LockedConsumer>({
    name: 'engine-lock-consumer',
    text: `
      select position, pg_current_xact_id()::text as xid, set_config('statement_timeout', $2, true)
      from engine.consumers where consumer = $1 for update skip locked`,
    values: [consumer, String(statementMs)],
  });
  return rows[0];
}

/** Nobody reads under this name any more: what it has not read is not kept for it. */
export async function forgetConsumer(db: Queryable, consumer: string): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'engine-forget-consumer',
    text: `delete from engine.consumers where consumer = $1`,
    values: [consumer],
  });
  return (rowCount ?? 0) > 0;
}

export async function advanceConsumer(db: Queryable, consumer: string, position: number): Promise<void> {
  await db.query({
    name: 'engine-advance-consumer',
    text: `update engine.consumers set position = $2, updated_at = engine.now() where consumer = $1`,
    values: [consumer, position],
  });
}

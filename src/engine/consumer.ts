// Consumes the outbox. A consumer stores its offset in the same transaction as the effects of the events, so that it applies each event once and in
// order, whichever process is killed. Effects outside the database must be idempotent by event id.
import { type Pool, type Queryable, withTransaction } from '../platform/database.ts';
import { failpoint } from '../platform/failpoints.ts';
import type { Log } from '../platform/log.ts';
import type { Elected } from './services/election.ts';
import { createLoop, type Service } from './services/loop.ts';
import { advanceConsumer, type FeedRow, lockConsumer, readFeed } from './sql/event-feed.ts';

export interface ConsumerOptions {
  readonly name: string;
  readonly pool: Pool;
  readonly log: Log;
  readonly everyMs: number;
  readonly idleMs?: number;
  readonly election?: Elected;
  /** How long one of its statements may take: who waits for a lock of others is stopped and tried again. Left out: a minute. */
  readonly statementMs?: number;
  /** Handed the events in order and the transaction that also moves the offset. */
  readonly apply: (tx: Queryable, events: readonly FeedRow[]) => Promise<void>;
}

const BATCH = 500;
const STATEMENT_MS = 60_000;

export function createConsumer(options: ConsumerOptions): Service {
  return createLoop({
    ...options,
    name: `consumer ${options.name}`,
    tick: async () => ((await consumeOnce(options)) === BATCH ? 0 : undefined),
  });
}

/** One batch; how many events were applied. 0 also when another process has the consumer. */
export async function consumeOnce(options: ConsumerOptions): Promise<number> {
  // Applying may take long; a connection that has gone silent is found out by asking about the transaction.
  let xid: string | undefined;
  const consume = async (tx: Queryable) => {
    const locked = await lockConsumer(tx, options.name, options.statementMs ?? STATEMENT_MS);
    if (locked === undefined) return 0;
    xid = locked.xid;
    const events = await readFeed(tx, locked.position, BATCH);
    const last = events.at(-1);
    if (!last) return 0;
    await options.apply(tx, events);
    await advanceConsumer(tx, options.name, last.position);
    failpoint('consumer.before_commit');
    return events.length;
  };
  const applied = await withTransaction(options.pool, consume, { xid: () => xid });
  failpoint('consumer.after_commit');
  return applied;
}

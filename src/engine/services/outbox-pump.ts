// The outbox pump: gives committed events their positions, in one process at a time, then tells the readers.
import { type Pool, withTransaction } from '../../platform/database.ts';
import { failpoint } from '../../platform/failpoints.ts';
import type { Log } from '../../platform/log.ts';
import { positionEvents } from '../sql/event-feed.ts';
import type { Elected } from './election.ts';
import { createLoop, type Service } from './loop.ts';

export interface PumpOptions {
  readonly pool: Pool;
  readonly log: Log;
  readonly everyMs: number;
  readonly idleMs?: number;
  readonly election?: Elected;
  readonly onPositioned: () => void;
}

const BATCH = 5_000;
const AT_MOST_EVERY_MS = 20;

export function createOutboxPump(options: PumpOptions): Service {
  return createLoop({
    name: 'outbox pump',
    ...options,
    atMostEveryMs: AT_MOST_EVERY_MS,
    // What a process has just written it positions itself, without asking who is elected.
    wakesAnywhere: true,
    async tick() {
      const positioned = await pumpEvents(options.pool);
      if (positioned) options.onPositioned();
      // Who is at it may have begun before our events were there.
      if (positioned === null) return options.everyMs;
      if (positioned === BATCH) return 0;
      // Where there were some, more may follow.
      return positioned > 0 ? options.everyMs : undefined;
    },
  });
}

/** One round; null when another process is at it. */
export async function pumpEvents(pool: Pool, batch = BATCH): Promise<number | null> {
  const positioned = await withTransaction(pool, async (tx) => {
    const count = await positionEvents(tx, batch);
    failpoint('pump.before_commit');
    return count;
  });
  failpoint('pump.after_commit');
  return positioned;
}

// The one-time backfill: rows that are older than user_id, job_type and updated_at take them from their job. In small transactions, so that it can be
// interrupted anywhere; a second run finds nothing to do.
import type { Elected } from '../../engine/services/election.ts';
import { createLoop, type Service } from '../../engine/services/loop.ts';
import { type Pool, withTransaction } from '../../platform/database.ts';
import type { Log } from '../../platform/log.ts';
import { backfillItems, listUnfilledTenants } from './sql/backfill-items.ts';

const PIECE = 5_000;

/** How many rows were filled. */
export async function backfill(
  pool: Pool,
  signal: AbortSignal = new AbortController().signal,
  piece = PIECE,
): Promise<number> {
  let filled = 0;
  for (const tenantId of await withTransaction(pool, listUnfilledTenants)) {
    for (;;) {
      if (signal.aborted) return filled;
      const some = await withTransaction(pool, (tx) => backfillItems(tx, tenantId, piece));
      filled += some;
      if (some === 0) break;
    }
  }
  return filled;
}

/** Once at the start, and then rarely: there is nothing left to do. */
const EVERY_MS = 24 * 3_600_000;

export function createBackfillService(options: {
  readonly pool: Pool;
  readonly log: Log;
  readonly election: Elected;
}): Service {
  return createLoop({
    name: 'items backfill',
    ...options,
    everyMs: EVERY_MS,
    tick: async () => {
      const filled = await backfill(options.pool);
      if (filled > 0) options.log.info({ items: filled }, 'items.backfilled');
      return undefined;
    },
  });
}

// Questions and their answers are kept for QUERY_LOG_DAYS; what is older goes, some at a time.
import type { Elected } from '../../../engine/services/election.ts';
import { createLoop, type Service } from '../../../engine/services/loop.ts';
import { becomeRole } from '../../../engine/sql/become-role.ts';
import { type Pool, withTransaction } from '../../../platform/database.ts';
import type { Log } from '../../../platform/log.ts';
import { deleteOldQueries } from '../sql/delete-old-queries.ts';

const EVERY_MS = 600_000;
const DAY_MS = 86_400_000;
const AT_ONCE = 5_000;

export function createQueryPruner({
  pool,
  log,
  election,
  days,
}: {
  /** Runs as millrace_engine. */
  readonly pool: Pool;
  readonly log: Log;
  readonly election: Elected;
  readonly days: number;
}): Service {
  return createLoop({
    name: 'query log',
    everyMs: EVERY_MS,
    election,
    log,
    tick: async () => {
      await pruneQueries(pool, days);
      return undefined;
    },
  });
}

/** Says how many went. */
export async function pruneQueries(pool: Pool, days: number): Promise<number> {
  const before = new Date(Date.now() - days * DAY_MS);
  let gone = 0;
  for (;;) {
    const some = await withTransaction(pool, async (tx) => {
      await becomeRole(tx, 'documents_cleanup');
      return deleteOldQueries(tx, before, AT_ONCE);
    });
    gone += some;
    if (some < AT_ONCE) return gone;
  }
}

// The cleanup worker: staging of uploads that ended more than seven days ago, in bounded transactions. It never touches a live upload,
// whatever its age, nor anything in production; its database role could not. Rejects have their own, longer time (the pruner's).
import { createLoop, type Service } from '../../engine/services/loop.ts';
import { type Pool, withTransaction } from '../../platform/database.ts';
import type { Log } from '../../platform/log.ts';
import { becomeCleanup } from './sql/become-cleanup.ts';
import { deleteResolutions, deleteStagedRows, keepEndedUploads, listStagedUploads } from './sql/purge-staging.ts';

export const STAGING_DAYS = 7;
const ROWS_PER_TRANSACTION = 10_000;
const UPLOADS_PER_ROUND = 500;
const DAY_MS = 86_400_000;

export interface CleanupOptions {
  /** Runs as millrace_engine; the cleanup's own statements as ads_cleanup. */
  readonly pool: Pool;
  readonly log: Log;
  readonly everyMs?: number;
  readonly days?: number;
}

export function createAdsCleanup(options: CleanupOptions): Service {
  return createLoop({
    name: 'ads cleanup',
    everyMs: options.everyMs ?? DAY_MS,
    log: options.log,
    tick: async () => {
      const { uploads, rows } = await cleanStaging(options);
      if (uploads > 0) options.log.info({ uploads, rows }, 'staging of ended uploads was removed');
      return uploads === UPLOADS_PER_ROUND ? 0 : undefined;
    },
  });
}

/** One round. */
export async function cleanStaging({
  pool,
  days = STAGING_DAYS,
}: CleanupOptions): Promise<{ uploads: number; rows: number }> {
  const old = await asCleanup(pool, (tx) => listStagedUploads(tx, days, UPLOADS_PER_ROUND));
  const ended = old.length === 0 ? [] : await keepEndedUploads(pool, old, days);
  let rows = 0;
  for (const uploadId of ended) {
    for (;;) {
      const deleted = await asCleanup(pool, (tx) => deleteStagedRows(tx, uploadId, ROWS_PER_TRANSACTION));
      rows += deleted;
      if (deleted < ROWS_PER_TRANSACTION) break;
    }
    await asCleanup(pool, (tx) => deleteResolutions(tx, uploadId));
  }
  return { uploads: ended.length, rows };
}

function asCleanup<T>(pool: Pool, work: Parameters<typeof withTransaction<T>>[1]): Promise<T> {
  return withTransaction(pool, async (tx) => {
    await becomeCleanup(tx);
    return work(tx);
  });
}

// Staging of batches that ended more than seven days ago is removed, in bounded transactions. A live batch is never touched, whatever
// its age, nor anything in production; the database role could not. Readings stay, because replays read by them; rejects have their
// own, longer time (the pruner's).
import { createLoop, type Service } from '../../engine/services/loop.ts';
import { type Pool, withTransaction } from '../../platform/database.ts';
import type { Log } from '../../platform/log.ts';
import { becomeCleanup, deleteStagedRows, keepEndedBatches, listStagedBatches } from './sql/purge-staging.ts';

const STAGING_DAYS = 7;
const ROWS_PER_TRANSACTION = 10_000;
const BATCHES_PER_ROUND = 500;
const DAY_MS = 86_400_000;

export interface CleanupOptions {
  /** Runs as millrace_engine; the cleanup's own statements as judgments_cleanup. */
  readonly pool: Pool;
  readonly log: Log;
  readonly everyMs?: number;
  readonly days?: number;
  readonly rowsPerTransaction?: number;
}

export function createJudgmentsCleanup(options: CleanupOptions): Service {
  return createLoop({
    name: 'judgments cleanup',
    everyMs: options.everyMs ?? DAY_MS,
    log: options.log,
    tick: async () => {
      const { batches, rows } = await cleanStaging(options);
      if (batches > 0) options.log.info({ batches, rows }, 'staging of ended batches was removed');
      return batches === BATCHES_PER_ROUND ? 0 : undefined;
    },
  });
}

/** One round. */
export async function cleanStaging({
  pool,
  days = STAGING_DAYS,
  rowsPerTransaction = ROWS_PER_TRANSACTION,
}: CleanupOptions): Promise<{ batches: number; rows: number }> {
  const old = await asCleanup(pool, (tx) => listStagedBatches(tx, days, BATCHES_PER_ROUND));
  const ended = old.length === 0 ? [] : await keepEndedBatches(pool, old, days);
  let rows = 0;
  for (const batchId of ended) {
    for (let deleted = rowsPerTransaction; deleted === rowsPerTransaction; rows += deleted)
      deleted = await asCleanup(pool, (tx) => deleteStagedRows(tx, batchId, rowsPerTransaction));
  }
  return { batches: ended.length, rows };
}

function asCleanup<T>(pool: Pool, work: Parameters<typeof withTransaction<T>>[1]): Promise<T> {
  return withTransaction(pool, async (tx) => {
    await becomeCleanup(tx);
    return work(tx);
  });
}

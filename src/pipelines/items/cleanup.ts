// Background work beside the runs: deletes jobs in slices whose retention is over or that somebody deleted, recounts counters every night, and fills the owner columns of
// rows that are older than these columns.

import type { Elected } from '../../engine/services/election.ts';
import { createLoop, type Service } from '../../engine/services/loop.ts';
import { becomeRole } from '../../engine/sql/become-role.ts';
import { type Pool, withTransaction } from '../../platform/database.ts';
import type { Log } from '../../platform/log.ts';
import { deleteItems, deleteJob } from './sql/change-items.ts';
import { listExpiredJobs, listUncounted, markExpired } from './sql/cleanup.ts';
import { countItems, holdClaims, storeCounts } from './sql/jobs.ts';

export interface CleanupOptions {
  readonly pool: Pool;
  readonly log: Log;
  readonly election: Elected;
  readonly retentionDays: number;
  readonly everyMs?: number;
  /** Starts runs where items wait for one. */
  readonly startLeftovers: () => Promise<unknown>;
}

const ROLE = 'items_cleanup';
const JOBS_PER_ROUND = 50;
const ITEMS_PER_DELETE = 5_000;
const EVERY_MS = 15 * 60_000;

export function createItemsCleanup(options: CleanupOptions): Service {
  return createLoop({
    name: 'items cleanup',
    log: options.log,
    election: options.election,
    everyMs: options.everyMs ?? EVERY_MS,
    tick: async () => {
      await cleanUp(options);
      await recountJobs(options);
      await options.startLeftovers();
      return undefined;
    },
  });
}

/** How many jobs were taken away. */
export async function cleanUp({
  pool,
  retentionDays,
  log,
}: Pick<CleanupOptions, 'pool' | 'retentionDays' | 'log'>): Promise<number> {
  const expired = await withTransaction(pool, async (tx) => {
    const jobs = await listExpiredJobs(tx, retentionDays, JOBS_PER_ROUND);
    await becomeRole(tx, ROLE);
    for (const job of jobs) await markExpired(tx, job);
    return jobs;
  });
  for (const job of expired) {
    for (;;) {
      const deleted = await withTransaction(pool, async (tx) => {
        await becomeRole(tx, ROLE);
        return deleteItems(tx, job, ITEMS_PER_DELETE);
      });
      if (deleted === 0) break;
    }
    await withTransaction(pool, async (tx) => {
      await becomeRole(tx, ROLE);
      await deleteJob(tx, job);
    });
  }
  if (expired.length > 0) log.info({ jobs: expired.length }, 'items.jobs_removed');
  return expired.length;
}

/** Jobs that nobody has counted for a day. */
export async function recountJobs({ pool, log }: Pick<CleanupOptions, 'pool' | 'log'>): Promise<number> {
  const jobs = await withTransaction(pool, async (tx) => {
    await becomeRole(tx, ROLE);
    return listUncounted(tx, JOBS_PER_ROUND);
  });
  for (const job of jobs) {
    const differed = await withTransaction(pool, async (tx) => {
      await becomeRole(tx, ROLE);
      // Slices that end meanwhile add to what was counted, not to what is about to be replaced.
      await holdClaims(tx, job);
      return storeCounts(tx, job, await countItems(tx, job));
    });
    if (differed) log.warn({ job }, 'items.counters_corrected');
  }
  return jobs.length;
}

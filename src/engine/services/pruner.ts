// The pruner: forgets what is older than its retention, a bounded batch at a time, so that it never holds up work.
import type { Pool } from '../../platform/database.ts';
import { failpoint } from '../../platform/failpoints.ts';
import type { Log } from '../../platform/log.ts';
import { pruneEvents, pruneLeftovers, pruneRejects, pruneRunHistory, pruneRuns, pruneWorkers } from '../sql/prune.ts';
import { createLoop, type Service } from './loop.ts';

export interface Retention {
  readonly eventsDays: number;
  readonly rejectsDays: number;
  /** The ledger outlives everything else. */
  readonly runsDays: number;
  readonly workersDays: number;
}

export const defaultRetention: Retention = { eventsDays: 30, rejectsDays: 90, runsDays: 730, workersDays: 7 };

const BATCH = 1_000;
const HOUR_MS = 3_600_000;

export function createPruner(options: { pool: Pool; log: Log; retention: Retention }): Service {
  return createLoop({
    name: 'pruner',
    everyMs: HOUR_MS,
    log: options.log,
    tick: async () => ((await pruneOnce(options.pool, options.retention)) >= BATCH ? 0 : undefined),
  });
}

/** The largest number of rows any of its steps removed. Each step stands alone: a process that dies between two leaves the rest to the next. */
export async function pruneOnce(pool: Pool, retention: Retention): Promise<number> {
  const { eventsDays, rejectsDays, runsDays, workersDays } = retention;
  const steps = [
    () => pruneEvents(pool, eventsDays, BATCH),
    () => pruneRejects(pool, rejectsDays, BATCH),
    () => pruneRuns(pool, runsDays, BATCH),
    () => pruneLeftovers(pool, 1, BATCH),
    () => pruneRunHistory(pool, eventsDays, BATCH),
    () => pruneWorkers(pool, workersDays, BATCH),
  ];
  let most = 0;
  for (const step of steps) {
    most = Math.max(most, await step());
    failpoint('prune.between_steps');
  }
  return most;
}

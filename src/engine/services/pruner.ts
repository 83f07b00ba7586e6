// The pruner: forgets what is older than its retention, a bounded batch at a time. After each batch it rests as long as the batch took, so that
// it never takes more than half of a connection's time from work; it goes on where it was, and stops between any two batches.
import type { Pool } from '../../platform/database.ts';
import { failpoint } from '../../platform/failpoints.ts';
import { leastUuidv7 } from '../../platform/ids.ts';
import type { Log } from '../../platform/log.ts';
import { waitAtMost } from '../../platform/wait.ts';
import {
  pruneEvents,
  pruneRateLimits,
  pruneRuns,
  pruneSideTable,
  pruneWorkers,
  RUNS_PER_STEP,
  type SideTable,
} from '../sql/prune.ts';
import { createLoop, type Service } from './loop.ts';

export interface Retention {
  readonly eventsDays: number;
  /** Refused rows that were dealt with. */
  readonly rejectsDays: number;
  /** Refused rows that nobody has dealt with; 0 keeps them, their run and its file until somebody does. */
  readonly openRejectsDays: number;
  /** The ledger outlives everything else. */
  readonly runsDays: number;
  readonly workersDays: number;
}

export const defaultRetention: Retention = {
  eventsDays: 30,
  rejectsDays: 90,
  openRejectsDays: 0,
  runsDays: 730,
  workersDays: 7,
};

/** Checkpoints and progress of an ended run are of no use to anybody but the reader of the run page. */
const LEFTOVER_DAYS = 1;
const BATCH = 1_000;
const HOUR_MS = 3_600_000;
const FIRST_ID = leastUuidv7(0);

/** Where the walks along the side tables are. A new process begins at their start. */
export type Walks = Map<SideTable, string>;

export function createPruner(options: { pool: Pool; log: Log; retention: Retention }): Service {
  const walks: Walks = new Map();
  return createLoop({
    name: 'pruner',
    everyMs: HOUR_MS,
    log: options.log,
    tick: async () => ((await pruneOnce(options.pool, options.retention, walks)) ? 1 : undefined),
  });
}

/** One batch of everything; true when there may be more. Each step stands alone: a process that dies between two leaves the rest to the next. */
export async function pruneOnce(pool: Pool, retention: Retention, walks: Walks = new Map()): Promise<boolean> {
  const { eventsDays, rejectsDays, openRejectsDays, runsDays, workersDays } = retention;
  const full = (removed: Promise<number>) => removed.then((count) => count >= BATCH);
  const side = (table: SideTable, days: number) => () => stepAlong(pool, table, days, walks);
  const steps: (() => Promise<boolean>)[] = [
    () => full(pruneEvents(pool, eventsDays, BATCH)),
    side('rejects', rejectsDays),
    ...(openRejectsDays > 0 ? [side('open_rejects', openRejectsDays)] : []),
    () => full(pruneRuns(pool, runsDays, BATCH)),
    side('checkpoints', LEFTOVER_DAYS),
    side('progress', LEFTOVER_DAYS),
    side('progress_samples', eventsDays),
    side('row_outcomes', eventsDays),
    side('decisions', eventsDays),
    () => full(pruneWorkers(pool, workersDays, BATCH)),
    () => full(pruneRateLimits(pool, workersDays, BATCH)),
  ];
  let isMore = false;
  for (const step of steps) {
    const startedAt = performance.now();
    isMore = (await step()) || isMore;
    failpoint('prune.between_steps');
    await waitAtMost(performance.now() - startedAt);
  }
  return isMore;
}

/** True while the walk has not come to the end of the table. */
async function stepAlong(pool: Pool, table: SideTable, days: number, walks: Walks): Promise<boolean> {
  const after = walks.get(table) ?? FIRST_ID;
  const { removed, last, looked } = await pruneSideTable(pool, table, { after, days, limit: BATCH });
  // These runs have more rows: the next step begins with them again.
  if (removed >= BATCH) return true;
  if (looked < RUNS_PER_STEP || last === null) {
    walks.delete(table);
    return false;
  }
  walks.set(table, last);
  return true;
}

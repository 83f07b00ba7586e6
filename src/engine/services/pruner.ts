// The pruner deletes rows that are older than their retention, and moves ended runs from the ledger to its history, one bounded batch at a time. After
// each batch it rests as long as the batch took, so that it never uses more than half of a connection's time. It continues where it was, and can stop
// between any two batches. A failure in one table does not keep it from pruning the others.
import type { Pool } from '../../platform/database.ts';
import { failpoint } from '../../platform/failpoints.ts';
import { leastUuidv7 } from '../../platform/ids.ts';
import { type Log, silentLog } from '../../platform/log.ts';
import { waitAtMost } from '../../platform/wait.ts';
import {
  pruneEvents,
  pruneFlaggedRuns,
  pruneRateLimits,
  pruneSideTable,
  pruneWorkers,
  RUNS_PER_STEP,
  type SideTable,
} from '../sql/prune.ts';
import type { Elected } from './election.ts';
import { type MoverState, moveToHistory, newMoverState, retireMonths } from './history.ts';
import { createLoop, type Service } from './loop.ts';

export interface Retention {
  /** Events that belong to no run of the ledger; those of a run go where it goes. */
  readonly eventsDays: number;
  /** Refused rows that were dealt with. */
  readonly rejectsDays: number;
  /** Refused rows that nobody has dealt with; 0 keeps them, their run and its file until somebody does. */
  readonly openRejectsDays: number;
  /** After this long an ended run leaves the ledger for its history. */
  readonly liveDays: number;
  /** A month leaves the history after so many more; 0 keeps them all. */
  readonly historyMonths: number;
  /** What becomes of a month's tables then. */
  readonly detached: 'drop' | 'keep';
  readonly workersDays: number;
}

export const defaultRetention: Retention = {
  eventsDays: 30,
  rejectsDays: 90,
  openRejectsDays: 0,
  liveDays: 30,
  historyMonths: 24,
  detached: 'drop',
  workersDays: 7,
};

/** Checkpoints and progress of an ended run are of no use to anybody but the reader of the run page. */
const LEFTOVER_DAYS = 1;
const BATCH = 1_000;
const HOUR_MS = 3_600_000;
const FIRST_ID = leastUuidv7(0);

/** Where the walks along the tables are. A new process begins at their start. */
export interface Walks {
  readonly side: Map<SideTable, string>;
  events: number;
  flagged: Date;
  readonly mover: MoverState;
}

export const newWalks = (): Walks => ({ side: new Map(), events: 0, flagged: new Date(0), mover: newMoverState() });

export function createPruner(options: { pool: Pool; log: Log; retention: Retention; election?: Elected }): Service {
  const walks = newWalks();
  return createLoop({
    name: 'pruner',
    everyMs: HOUR_MS,
    election: options.election,
    log: options.log,
    tick: async () => ((await pruneOnce(options.pool, options.retention, walks, options.log)) ? 1 : undefined),
  });
}

/**
 * One batch of everything; true when there may be more. Each step stands alone: a process that dies between two leaves the rest to the next, and
 * one that fails (say a month that a reader keeps from being detached) is logged and tried again with the next round.
 */
export async function pruneOnce(
  pool: Pool,
  retention: Retention,
  walks: Walks = newWalks(),
  log: Log = silentLog,
): Promise<boolean> {
  const { eventsDays, rejectsDays, openRejectsDays, liveDays, historyMonths, workersDays } = retention;
  const full = (removed: Promise<number>) => removed.then((count) => count >= BATCH);
  const side = (table: SideTable, days: number) => () => stepAlong(pool, table, days, walks);
  const steps: Readonly<Record<string, () => Promise<boolean>>> = {
    'ended runs': () => moveToHistory(pool, liveDays, walks.mover),
    'old months': () => retireMonths(pool, retention, log),
    'flagged runs': () => stepAlongFlagged(pool, historyMonths, walks),
    events: () => stepAlongEvents(pool, eventsDays, walks),
    rejects: side('rejects', rejectsDays),
    ...(openRejectsDays > 0 ? { 'open rejects': side('open_rejects', openRejectsDays) } : {}),
    checkpoints: side('checkpoints', LEFTOVER_DAYS),
    progress: side('progress', LEFTOVER_DAYS),
    'progress samples': side('progress_samples', eventsDays),
    'row outcomes': side('row_outcomes', eventsDays),
    decisions: side('decisions', eventsDays),
    workers: () => full(pruneWorkers(pool, workersDays, BATCH)),
    'rate limits': () => full(pruneRateLimits(pool, workersDays, BATCH)),
  };
  let isMore = false;
  for (const [what, step] of Object.entries(steps)) {
    const startedAt = performance.now();
    try {
      isMore = (await step()) || isMore;
    } catch (error) {
      log.warn({ what, err: error }, 'something could not be pruned; it is tried again');
    }
    failpoint('prune.between_steps');
    await waitAtMost(performance.now() - startedAt);
  }
  return isMore;
}

/** True while the walk has not come to the end of the table. */
async function stepAlong(pool: Pool, table: SideTable, days: number, walks: Walks): Promise<boolean> {
  const after = walks.side.get(table) ?? FIRST_ID;
  const { removed, last, looked } = await pruneSideTable(pool, table, { after, days, limit: BATCH });
  // These runs have more rows: the next step begins with them again.
  if (removed >= BATCH) return true;
  if (looked < RUNS_PER_STEP || last === null) {
    walks.side.delete(table);
    return false;
  }
  walks.side.set(table, last);
  return true;
}

async function stepAlongEvents(pool: Pool, days: number, walks: Walks): Promise<boolean> {
  const { last, looked } = await pruneEvents(pool, walks.events, days, BATCH);
  const isMore = looked === BATCH && last !== null;
  walks.events = isMore ? last : 0;
  return isMore;
}

async function stepAlongFlagged(pool: Pool, months: number, walks: Walks): Promise<boolean> {
  if (months === 0) return false;
  const { last, looked, removed } = await pruneFlaggedRuns(pool, walks.flagged, months, BATCH);
  // More than a batch that ended in one moment and stays cannot be stepped over by its time: it is left for good.
  const isMore = looked === BATCH && last !== null && (removed > 0 || last > walks.flagged);
  walks.flagged = isMore ? last : new Date(0);
  return isMore;
}

// The ledger's history: ended runs move there a bounded number at a time, and whole months leave it when their time is over. Steps of the pruner;
// each is a short transaction, and a process that dies between two leaves the rest to the next.
import { type Pool, withTransaction } from '../../platform/database.ts';
import { failpoint } from '../../platform/failpoints.ts';
import { leastUuidv7, timeOfUuidv7 } from '../../platform/ids.ts';
import type { Log } from '../../platform/log.ts';
import {
  addHistoryMonth,
  detachMonth,
  dropDetachedMonth,
  findRunsToMove,
  keepKeyedRuns,
  listOldMonths,
  lockKeysOf,
  lockMover,
  moveAttempts,
  moveEvents,
  moveRuns,
  whyMonthStays,
} from '../sql/move-to-history.ts';

/** Where the walk along the ledger is, and which months are known to be there. */
export interface MoverState {
  after: string;
  readonly months: Set<string>;
}

export const newMoverState = (): MoverState => ({ after: leastUuidv7(0), months: new Set() });

const RUNS = 500;
const ROWS = 1_000;
const KEPT_ROWS = 500;
// Ids outside of it are no uuid v7: they belong to no month.
const firstMonthMs = Date.UTC(2000, 0);
const beyondLastMonthMs = Date.UTC(2100, 0);

/** One step; true while the walk has not come to the youngest run that may move. */
export async function moveToHistory(pool: Pool, days: number, state: MoverState, runs = RUNS): Promise<boolean> {
  const found = await findRunsToMove(pool, state.after, days, runs);
  if (found.ids.length > 0) {
    for (const month of monthsOf(found.ids)) {
      if (!state.months.has(month)) await addHistoryMonth(pool, month);
      state.months.add(month);
    }
    if (!(await moveAll(pool, found.ids))) return false;
  }
  if (found.looked < runs || found.last === null) {
    state.after = leastUuidv7(0);
    return false;
  }
  state.after = found.last;
  return true;
}

/** What belongs to the runs first, so that a run never leaves more behind than one transaction can carry. False: another process is at it. */
async function moveAll(pool: Pool, ids: readonly string[]): Promise<boolean> {
  for (const move of [moveAttempts, moveEvents]) {
    let moved: number | null = ROWS;
    while (moved === ROWS) {
      moved = await asMover(pool, (tx) => move(tx, ids, ROWS));
      failpoint('history.between_steps');
    }
    if (moved === null) return false;
  }
  const moved = await asMover(pool, async (tx) => {
    const free = await lockKeysOf(tx, ids);
    const count = free.length > 0 ? await moveRuns(tx, free) : 0;
    failpoint('history.before_commit');
    return count;
  });
  failpoint('history.between_steps');
  return moved !== null;
}

function asMover(pool: Pool, move: (tx: Parameters<typeof lockMover>[0]) => Promise<number>): Promise<number | null> {
  return withTransaction(pool, async (tx) => ((await lockMover(tx)) ? move(tx) : null));
}

/** Lets the oldest month go whose time is over and in which nothing lives, waits for a person or was not read; true while there is more to do. */
export async function retireMonths(
  pool: Pool,
  retention: { readonly historyMonths: number; readonly detached: 'drop' | 'keep' },
  log: Log,
): Promise<boolean> {
  if (retention.historyMonths === 0) return false;
  for (const month of await listOldMonths(pool, retention.historyMonths)) {
    const why = await whyMonthStays(pool, month);
    if (why !== null) {
      log.info({ month, why }, 'a month of the history stays');
      continue;
    }
    if ((await keepKeyedRuns(pool, month, KEPT_ROWS)) === KEPT_ROWS) return true;
    await withTransaction(pool, async (tx) => {
      await detachMonth(tx, month);
      // Asked again now that nobody can add to the month.
      const changed = await whyMonthStays(tx, month);
      if (changed !== null) throw new Error(`the month ${month} stays: ${changed}`);
      failpoint('history.before_commit');
    });
    failpoint('history.between_steps');
    if (retention.detached === 'drop') await dropDetachedMonth(pool, month);
    log.info({ month, ...retention }, 'a month has left the history');
  }
  return false;
}

function monthsOf(ids: readonly string[]): Set<string> {
  const months = new Set<string>();
  for (const id of ids) {
    const atMs = timeOfUuidv7(id);
    if (atMs >= firstMonthMs && atMs < beyondLastMonthMs) months.add(`${new Date(atMs).toISOString().slice(0, 7)}-01`);
  }
  return months;
}

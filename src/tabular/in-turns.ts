// Works through a batch in slices and lets the event loop have its turn in between. A piece of rows on its way to the database takes
// ten questions and answers; each would wait until a whole batch has been read, and so would every request to the same process.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RowBatch } from './row-batch.ts';

/** About 2 ms of reading. */
const SLICE_ROWS = 250;

/** Calls `work` at least once, also for a batch without rows. */
export async function inTurns(batch: RowBatch, work: (from: number, to: number) => void): Promise<void> {
  let from = 0;
  do {
    const to = Math.min(batch.rowCount, from + SLICE_ROWS);
    work(from, to);
    from = to;
    await nextTurn();
  } while (from < batch.rowCount);
}

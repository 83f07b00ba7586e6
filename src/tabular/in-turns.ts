// Processes a batch in slices and yields to the event loop between them. Storing one piece of rows takes ten round trips to the database; without
// slices each of them, and every request to the same process, would wait until a whole batch has been read.
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

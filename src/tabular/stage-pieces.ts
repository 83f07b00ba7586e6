// Reads a table into pieces of rows and writes one piece while it reads the next: at most two are held at a time.
import type { AdaptiveSize } from '../engine/adaptive.ts';
import type { StageContext } from '../engine/stage-context.ts';
import { failpoint } from '../platform/failpoints.ts';
import { inTurns } from './in-turns.ts';
import { type ReturnedRow, ReturnedRows } from './returned-rows.ts';
import type { RowBatch } from './row-batch.ts';

export interface PieceStager {
  /** In the piece that is being filled. */
  readonly rows: number;
  /** Since the start of the file. */
  readonly read: number;
  add(batch: RowBatch, from: number, to: number): void;
}

export interface Pieces {
  readonly batches: AsyncIterable<RowBatch>;
  readonly stager: PieceStager;
  /** Rows per piece; it learns from how long each took. */
  readonly size: AdaptiveSize;
  readonly totalBytes: number;
  /** The columns of a file that brings corrected rows back; null for any other file. */
  readonly returnedAs: readonly string[] | null;
  /** Takes the piece from the stager at once and commits it; answers how many rows that were. Never called before the piece before is written. */
  write(isLast: boolean, returned: ReturnedRow[]): Promise<number>;
}

export async function stagePieces(
  context: Pick<StageContext<unknown>, 'signal' | 'progress'>,
  { batches, stager, size, totalBytes, returnedAs, write }: Pieces,
): Promise<void> {
  const returned = new ReturnedRows(returnedAs ?? []);
  let writing: Promise<void> = Promise.resolve();
  for await (const batch of batches) {
    failpoint('stage.first_byte');
    context.signal.throwIfAborted();
    await inTurns(batch, (first, end) => stager.add(batch, first, end));
    returned.add(batch);
    context.progress({ done: batch.next.offset, total: totalBytes, unit: 'bytes', note: `${stager.read} rows` });
    if (stager.rows < size.size && !batch.isLast) continue;
    await writing;
    const written = write(batch.isLast, returned.take());
    const startedAt = performance.now();
    writing = written.then((rows) => size.observe(rows, performance.now() - startedAt));
    // Awaited before the next piece; until then a failure must not count as unhandled.
    writing.catch(() => undefined);
  }
  await writing;
}

// A sheet as batches of rows. The bytes are put into a local file if they are not in one yet, because a zip archive is read from
// its end. Lines are the sheet's own row numbers; going on after an interruption reads the sheet again and skips what is done.
import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ByteSource } from '../byte-source.ts';
import type { CsvBatch } from '../csv/csv-batch.ts';
import { readCsvStream } from '../csv/read-csv.ts';
import type { TableLimits } from '../limits.ts';
import { type Position, RowBatch, startOfFile, type WorkbookRest } from '../row-batch.ts';
import { type OtherSheet, wireDialect } from './spreadsheet-messages.ts';
import { openSpreadsheet } from './spreadsheet-process.ts';

export interface XlsxReadOptions {
  readonly sheet: string | null;
  readonly limits: TableLimits;
  readonly from?: Position;
  readonly maxRows?: number;
  /** Told which sheet is being read and which others there are. */
  readonly onOpen?: (sheet: string, names: readonly string[], others: readonly OtherSheet[]) => void;
}

export async function* readXlsx(source: ByteSource, options: XlsxReadOptions): AsyncGenerator<RowBatch> {
  const from = options.from ?? startOfFile;
  const local = await localFile(source);
  try {
    const opened = await openSpreadsheet({
      path: local.path,
      sheet: options.sheet,
      fromRow: from.line,
      maxRows: options.maxRows ?? null,
      limits: options.limits,
    });
    // The reader holds the file open now. Without a name it cannot be left behind, whatever happens to us.
    await local.remove();
    options.onOpen?.(opened.sheet, opened.names, opened.others);
    try {
      const stream = { chunks: opened.chunks, isOriginal: true, originalOffset: (position: number) => position };
      // The wire adds the row's number, quotes and commas to what the limits count.
      const limits = {
        ...options.limits,
        maxColumns: options.limits.maxColumns + 2,
        maxRowBytes: options.limits.maxRowBytes * 2,
      };
      let line = from.line;
      for await (const batch of readCsvStream(stream, { dialect: wireDialect, limits, from })) {
        const rows = new SheetBatch(batch, line, batch.isLast ? opened.rest() : null);
        line = rows.next.line;
        yield rows;
      }
    } finally {
      opened.close();
    }
  } finally {
    await local.remove();
  }
}

class SheetBatch extends RowBatch {
  readonly rowCount: number;
  readonly #batch: CsvBatch;

  override readonly unit = 'cells';

  constructor(batch: CsvBatch, line: number, rest: WorkbookRest | null) {
    const last = batch.rowCount === 0 ? line - 1 : Number(batch.text(batch.rowCount - 1, 0));
    const next = { offset: last, line: last + 1, row: batch.next.row };
    super({ firstRow: batch.firstRow, next, isLast: batch.isLast, rest }, batch.rowCount, batch.faults);
    this.rowCount = batch.rowCount;
    this.#batch = batch;
  }

  line(row: number): number {
    return Number(this.#batch.text(row, 0));
  }

  offset(row: number): number {
    return this.line(row) - 1;
  }

  override size(from: number, to: number): number {
    let cells = 0;
    for (let row = from; row < to; row++) {
      const count = this.cellCount(row);
      for (let column = 0; column < count; column++) if (!this.isEmpty(row, column)) cells++;
    }
    return cells;
  }

  cellCount(row: number): number {
    return Math.max(0, this.#batch.cellCount(row) - 1);
  }

  text(row: number, column: number): string {
    return this.#batch.text(row, column + 1);
  }

  isEmpty(row: number, column: number): boolean {
    return this.#batch.isEmpty(row, column + 1);
  }

  firstCode(row: number, column: number): number {
    return this.#batch.firstCode(row, column + 1);
  }

  rawText(row: number): string {
    const raw = this.#batch.rawText(row);
    return raw.slice(raw.indexOf(',') + 1);
  }
}

async function localFile(source: ByteSource): Promise<{ path: string; remove(): Promise<void> }> {
  if (source.path !== undefined) return { path: source.path, remove: async () => undefined };
  const path = join(tmpdir(), `millrace-sheet-${randomUUID()}.xlsx`);
  // Some systems do not remove what is open; then the second attempt, after reading, does.
  const remove = () => rm(path, { force: true }).catch(() => undefined);
  try {
    await pipeline(Readable.from(source.open(0)), createWriteStream(path, { mode: 0o600 }));
  } catch (error) {
    await remove();
    throw error;
  }
  return { path, remove };
}

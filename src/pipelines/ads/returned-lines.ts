// A downloaded file of rejects that comes back: which lines of the original file its rows are, by the column that the download added.
import { originalLineColumn } from '../../tabular/csv/rejects-file.ts';
import type { RowBatch } from '../../tabular/row-batch.ts';

export class ReturnedRows {
  readonly #column: number | null;
  #lines: number[] = [];

  constructor(names: readonly string[]) {
    this.#column = originalLineColumn(names);
  }

  add(batch: RowBatch): void {
    if (this.#column === null) return;
    for (const row of batch.dataRows()) {
      const line = Number(batch.text(row, this.#column).trim() || Number.NaN);
      if (Number.isSafeInteger(line) && line > 0) this.#lines.push(line);
    }
  }

  /** The lines since the last call. */
  take(): number[] {
    const lines = this.#lines;
    this.#lines = [];
    return lines;
  }
}

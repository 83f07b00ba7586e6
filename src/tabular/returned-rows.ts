// A downloaded file of rejects that comes back corrected: which lines of the original its rows are, by the column that the download
// added, and how it is read: as the original was, whatever has been saved since. Knows no pipeline.
import { originalLineColumn } from './csv/rejects-file.ts';
import { applyMapping, type ColumnMapping, mappingOf } from './mapping/mapping.ts';
import type { Reading, ReadingOverrides } from './reading.ts';
import type { RowBatch } from './row-batch.ts';

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

/** What was decided about the original, as orders for reading a file that holds the same texts. */
export function readLike(original: Reading): ReadingOverrides {
  const orders = original.columns.flatMap(({ name, dateOrder }) =>
    dateOrder === undefined ? [] : [[name, dateOrder.value] as const],
  );
  return {
    decimal: original.numbers.value.decimal,
    dateOrders: Object.fromEntries(orders),
    ...(original.emptyMarkers === undefined ? {} : { emptyMarkers: original.emptyMarkers }),
    unescapeFormulas: true,
  };
}

/** The original's columns in a file that has them and perhaps more. */
export function mapLike(
  original: { readonly columns: readonly ColumnMapping[]; readonly version: number },
  reading: Reading,
): ColumnMapping[] {
  return applyMapping(mappingOf(original.columns), reading.columns, original.version);
}

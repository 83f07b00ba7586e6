// A downloaded file of rejects that comes back corrected: which lines of the original its rows are, by the column that the download
// added, what they say now, and how it is read: as the original was, whatever has been saved since. Knows no pipeline.
import { isRejectColumn, originalLineColumn } from './csv/rejects-file.ts';
import { applyMapping, type ColumnMapping, mappingOf } from './mapping/mapping.ts';
import type { Reading, ReadingOverrides } from './reading.ts';
import type { RowBatch } from './row-batch.ts';

export interface ReturnedRow {
  /** Of the original file. */
  readonly line: number;
  readonly cells: Readonly<Record<string, string>>;
}

export class ReturnedRows {
  readonly #column: number | null;
  readonly #names: readonly (string | undefined)[];
  #lines: ReturnedRow[] = [];

  constructor(names: readonly string[]) {
    this.#column = originalLineColumn(names);
    this.#names = names.map((name) => (isRejectColumn(name) ? undefined : name));
  }

  add(batch: RowBatch): void {
    if (this.#column === null) return;
    for (const row of batch.dataRows()) {
      const line = Number(batch.text(row, this.#column).trim() || Number.NaN);
      if (Number.isSafeInteger(line) && line > 0) this.#lines.push({ line, cells: this.#cellsOf(batch, row) });
    }
  }

  #cellsOf(batch: RowBatch, row: number): Record<string, string> {
    const cells: Record<string, string> = {};
    for (const [column, name] of this.#names.entries())
      if (name !== undefined) cells[name] = storable(batch.text(row, column));
    return cells;
  }

  /** The lines since the last call. */
  take(): ReturnedRow[] {
    const lines = this.#lines;
    this.#lines = [];
    return lines;
  }
}

/** The database keeps neither NUL nor half a character in its texts; a row with one is refused by its own rule. */
function storable(text: string): string {
  return Buffer.from(text.replaceAll('\0', '')).toString();
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

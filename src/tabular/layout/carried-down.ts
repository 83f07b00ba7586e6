// Names that a file gives once, in the first row of a group, with empty cells below: a person reads them as the value above. Which columns
// look like that is found in the sample; a reading that says so is given rows in which the value stands everywhere.
import type { ColumnReading, ColumnRoles } from '../reading.ts';
import { type CarriedValues, RowBatch } from '../row-batch.ts';
import type { SampleRow } from './sample-row.ts';

export interface CarriedColumns {
  readonly columns: readonly number[];
  /** Cells that are empty and would have the value above. */
  readonly cells: number;
  readonly lines: readonly number[];
  /** Numbers of rows stand before them: then it may as well be a note that few rows have. */
  readonly isLikely: boolean;
}

const MIN_ROWS = 3;
const MIN_EMPTY = 2;
const MAX_LINES = 10;
const MOST = 0.9;
const named = new Set(['text', 'id', 'date', 'integer']);

/** `rows`: those of data, in the order of the file. */
export function findCarried(
  rows: readonly SampleRow[],
  columns: readonly ColumnReading[],
  roles?: ColumnRoles,
): CarriedColumns | null {
  if (rows.length < MIN_ROWS) return null;
  const found: number[] = [];
  let isLeading = true;
  let isCounted = false;
  let isLikely = false;
  for (const { index, kind } of columns) {
    const filled = rows.filter((row) => textOf(row, index) !== '').length;
    if (filled === 0) continue;
    // What a pipeline tells rows by is hardly left out by chance; elsewhere only the first columns name groups.
    const isNeeded = roles?.telling.includes(index) === true;
    const empty = rows.length - filled;
    const isGrouped = empty >= MIN_EMPTY && (isNeeded ? empty * 2 >= filled : isLeading && empty >= filled);
    if (isGrouped && named.has(kind) && beginsGroups(rows, index, found)) {
      found.push(index);
      if (isNeeded || !isCounted) isLikely = true;
    } else if (kind === 'integer' && isCounter(rows, index)) isCounted = true;
    else isLeading = false;
  }
  if (found.length === 0) return null;
  const hasGap = (row: SampleRow) => found.some((column) => textOf(row, column) === '');
  const gaps = rows.filter(hasGap);
  const cells = found.reduce((sum, column) => sum + rows.filter((row) => textOf(row, column) === '').length, 0);
  return { columns: found, cells, lines: gaps.slice(0, MAX_LINES).map(({ line }) => line), isLikely };
}

/** The rows with the values of those columns in all rows below them. */
export function carriedDown(rows: readonly SampleRow[], columns: readonly number[]): readonly SampleRow[] {
  if (columns.length === 0) return rows;
  let values: CarriedValues = columns.map(() => '');
  return rows.map((row) => {
    values = nextValues(values, columns, (column) => textOf(row, column));
    const cells = [...row.cells];
    for (const [at, column] of columns.entries()) cells[column] = values[at] ?? '';
    return { ...row, cells };
  });
}

/** A new value ends the inner groups: their names are not carried into it. */
function nextValues(
  before: CarriedValues,
  columns: readonly number[],
  textAt: (column: number) => string,
): CarriedValues {
  let isNew = false;
  return columns.map((column, at) => {
    const text = textAt(column);
    if (text !== '' && text !== before[at]) isNew = true;
    return text !== '' || isNew ? text : (before[at] ?? '');
  });
}

/** The first row has a value, each next one is another, and where an outer group begins an inner one does. */
function beginsGroups(rows: readonly SampleRow[], column: number, outer: readonly number[]): boolean {
  if (textOf(rows[0] as SampleRow, column) === '') return false;
  const values = rows.flatMap((row) => textOf(row, column) || []);
  const changes = values.filter((value, index) => value !== values[index - 1]).length;
  if (changes < values.length) return false;
  // A row below says something itself, or it is a note.
  const below = rows.filter((row) => textOf(row, column) === '');
  if (below.filter(({ cells }) => cells.filter((cell) => cell.trim() !== '').length > 0).length < below.length)
    return false;
  const outermost = outer.at(-1);
  if (outermost === undefined) return true;
  const starts = rows.filter((row) => textOf(row, outermost) !== '');
  return starts.filter((row) => textOf(row, column) !== '').length >= starts.length * MOST;
}

/** 1, 2, 3: numbers of rows. */
function isCounter(rows: readonly SampleRow[], column: number): boolean {
  const first = Number(textOf(rows[0] as SampleRow, column));
  return rows.every((row, index) => Number(textOf(row, column)) === first + index);
}

function textOf({ cells }: SampleRow, column: number): string {
  return (cells[column] ?? '').trim();
}

/** Goes through the batches of a file in order. */
export class CarryDown {
  readonly #columns: readonly number[];
  #values: CarriedValues;

  /** `before`: the values above the first row that is read. */
  constructor(columns: readonly number[], before: CarriedValues = columns.map(() => '')) {
    this.#columns = columns;
    this.#values = before;
  }

  /** `batch` knows what its rows are; only rows of data take values and give them. */
  carried(batch: RowBatch): RowBatch {
    const cells = new Map<number, CarriedValues>();
    for (let row = 0; row < batch.rowCount; row++) {
      if (batch.kind(row) === 'other_table') this.#values = this.#columns.map(() => '');
      if (batch.kinds[row] !== 0 || batch.faults[row] !== 0) continue;
      this.#values = nextValues(this.#values, this.#columns, (column) => {
        const text = batch.text(row, column);
        return text.trim() === '' ? '' : text;
      });
      cells.set(row, this.#values);
    }
    return new CarriedBatch(batch, this.#columns, cells, this.#values);
  }
}

/** A batch in which the empty cells of some columns have the value above. Its raw text is the file's. */
class CarriedBatch extends RowBatch {
  readonly rowCount: number;
  override readonly unit: RowBatch['unit'];
  readonly #batch: RowBatch;
  readonly #places: ReadonlyMap<number, number>;
  readonly #cells: ReadonlyMap<number, CarriedValues>;
  readonly #minCells: number;

  constructor(
    batch: RowBatch,
    columns: readonly number[],
    cells: ReadonlyMap<number, CarriedValues>,
    last: CarriedValues,
  ) {
    const { firstRow, next, isLast, spans, rest } = batch;
    super({ firstRow, next: { ...next, carried: last }, isLast, spans, rest }, batch.rowCount, batch.faults);
    this.kinds.set(batch.kinds);
    this.rowCount = batch.rowCount;
    this.unit = batch.unit;
    this.#batch = batch;
    this.#cells = cells;
    this.#places = new Map(columns.map((column, at) => [column, at]));
    this.#minCells = Math.max(0, ...columns) + 1;
  }

  line(row: number): number {
    return this.#batch.line(row);
  }

  offset(row: number): number {
    return this.#batch.offset(row);
  }

  override end(row: number): number {
    return this.#batch.end(row);
  }

  override size(from: number, to: number): number {
    return this.#batch.size(from, to);
  }

  cellCount(row: number): number {
    const count = this.#batch.cellCount(row);
    return this.#cells.has(row) ? Math.max(count, this.#minCells) : count;
  }

  text(row: number, column: number): string {
    const place = this.#places.get(column);
    const values = place === undefined ? undefined : this.#cells.get(row);
    return place === undefined || values === undefined ? this.#batch.text(row, column) : (values[place] ?? '');
  }

  isEmpty(row: number, column: number): boolean {
    return this.#places.has(column) ? this.text(row, column) === '' : this.#batch.isEmpty(row, column);
  }

  firstCode(row: number, column: number): number {
    if (!this.#places.has(column)) return this.#batch.firstCode(row, column);
    const text = this.text(row, column);
    return text === '' ? -1 : Math.min(text.charCodeAt(0), 128);
  }

  rawText(row: number): string {
    return this.#batch.rawText(row);
  }
}

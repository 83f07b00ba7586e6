// A batch of rows as every format hands them over: addressed by row and column, with line, byte offset, kind and fault per row.
// Text is made on demand, so a consumer that needs eight of forty columns pays for eight. A batch owns its bytes and may be kept.
import type { EdgeWords } from './layout/edge-words.ts';
import type { SetAsideReason, SetAsideSpan } from './reading-evidence.ts';
import { faultNumber, faultOf, type RowFault } from './row-fault.ts';

/** What a row is. Only `data` is data; the rest is set aside and passed on, so that every row of the file is accounted for. */
export const rowKinds = [
  'data',
  'preamble',
  'header',
  'blank',
  'total',
  'footer',
  'note',
  'repeated_header',
  'other_table',
] as const;
export type RowKind = (typeof rowKinds)[number];

const reasons: Readonly<Record<RowKind, SetAsideReason | null>> = {
  data: null,
  header: null,
  preamble: 'title',
  blank: 'blank',
  total: 'total',
  footer: 'note',
  note: 'note',
  repeated_header: 'repeated_header',
  other_table: 'other_table',
};

/** Why a row of the kind is set aside; null for data and for the header, which are not. */
export function setAsideReason(kind: RowKind): SetAsideReason | null {
  return reasons[kind];
}

/** Where a row starts: enough to go on reading from there. */
export interface Position {
  /** Byte offset in the original file (for XLSX, the row of the sheet, counted from 0). */
  readonly offset: number;
  /** Line in the original file, counted from 1 (for XLSX, the row as the program shows it). */
  readonly line: number;
  /** How many rows of any kind come before it. */
  readonly row: number;
  /** What was known of tables behind the first one when the rows before it had been read. */
  readonly later?: LaterTable;
  /** What empty cells below are read as, in a reading that carries values down. */
  readonly carried?: CarriedValues;
}

/** In the order of the columns whose values are carried down. */
export type CarriedValues = readonly string[];

/** Where the rows stand that come next (layout/later-tables.ts). */
export interface LaterTable {
  /** They belong to a table that began behind the first one. */
  readonly isInside?: boolean;
  /** The row before was blank. */
  readonly isAfterBlank?: boolean;
}

export const startOfFile: Position = { offset: 0, line: 1, row: 0 };

export interface BatchPlace {
  readonly firstRow: number;
  readonly next: Position;
  readonly isLast: boolean;
  readonly spans?: readonly SetAsideSpan[];
  readonly rest?: WorkbookRest | null;
}

/** What a workbook holds beside the rows of the sheet that is read. */
export interface WorkbookRest {
  /** Cells with a value in its other sheets, hidden ones included. */
  readonly otherCells: number;
  /** Parts of the archive: the sheet, other sheets, those that describe them, those that nobody reads. */
  readonly parts: Readonly<Record<string, number>>;
  /** The same in bytes of the file. */
  readonly bytes: Readonly<Record<string, number>>;
  /** Rows of the sheet with a value that its program does not show: a filter or a person hid them. They are read like the others. */
  readonly hidden: { readonly rows: number; readonly lines: readonly number[] };
  /** Columns of the sheet, counted from 0, with a value in a row and not shown either. */
  readonly hiddenColumns: readonly number[];
  /** Cells with a formula whose result the workbook does not hold. They are read as empty. */
  readonly uncomputed: { readonly cells: number; readonly lines: readonly number[] };
  /** The first and the last rows of cells that are shown as one, and their first column; only the first row of each holds its value. */
  readonly merged: readonly (readonly [fromRow: number, toRow: number, column: number])[];
}

export abstract class RowBatch {
  abstract readonly rowCount: number;
  /** Rows of any kind before this batch. */
  readonly firstRow: number;
  #next: Position;
  /** Whether the file ends with this batch. */
  readonly isLast: boolean;
  readonly kinds: Uint8Array;
  readonly faults: Uint8Array;
  /** Parts of the file between these rows that are no rows at all: a second list of JSON, text behind it. */
  readonly spans: readonly SetAsideSpan[];
  /** Only with the last batch of a workbook. */
  readonly rest: WorkbookRest | null;
  /** In what `size` measures rows. */
  readonly unit: 'bytes' | 'cells' = 'bytes';

  constructor(place: BatchPlace, rowCount: number, faults?: Uint8Array) {
    this.spans = place.spans ?? [];
    this.rest = place.rest ?? null;
    this.firstRow = place.firstRow;
    this.#next = place.next;
    this.isLast = place.isLast;
    this.kinds = new Uint8Array(rowCount);
    this.faults = faults ?? new Uint8Array(rowCount);
  }

  /** Where the row after this batch starts. It is the checkpoint once the batch's rows are committed. */
  get next(): Position {
    return this.#next;
  }

  /** What reading on from `next` has to know. */
  carry(later: LaterTable | undefined): void {
    if (later !== undefined) this.#next = { ...this.#next, later };
  }

  /** Line on which the row starts in the original file. */
  abstract line(row: number): number;
  /** Byte at which the row starts in the original file. */
  abstract offset(row: number): number;
  /** The byte behind the row in the original file, its line end included. */
  end(row: number): number {
    return row + 1 < this.rowCount ? this.offset(row + 1) : this.next.offset;
  }

  /** How much of the file the rows `from` up to `to` are: bytes, or cells with a value in a workbook. */
  size(from: number, to: number): number {
    return this.end(to - 1) - this.offset(from);
  }

  abstract cellCount(row: number): number;
  /** The text of a cell without its quotes; empty when the row has no such cell. */
  abstract text(row: number, column: number): string;
  /** Whether the cell has no characters at all; cheaper than asking for its text. */
  abstract isEmpty(row: number, column: number): boolean;
  /** The cell's first character if it is ASCII, 128 if it is another, -1 if there is none; cheaper than asking for its text. */
  abstract firstCode(row: number, column: number): number;
  /** Whether the cell may begin or end with one of the words. */
  mayEdge(row: number, column: number, words: EdgeWords): boolean {
    return words.mayEdge(this.text(row, column));
  }

  /** The row as it stands in the file. */
  abstract rawText(row: number): string;

  kind(row: number): RowKind {
    return rowKinds[this.kinds[row] ?? 0] ?? 'data';
  }

  setKind(row: number, kind: RowKind): void {
    this.kinds[row] = rowKinds.indexOf(kind);
  }

  fault(row: number): RowFault | null {
    return faultOf(this.faults[row] ?? 0);
  }

  setFault(row: number, fault: RowFault): void {
    this.faults[row] = faultNumber(fault);
  }

  /** All cells of a row as text. */
  texts(row: number): string[] {
    const count = this.cellCount(row);
    const texts: string[] = [];
    for (let column = 0; column < count; column += 1) texts.push(this.text(row, column));
    return texts;
  }

  /** The rows that are data, faulted ones included. */
  *dataRows(): Generator<number> {
    for (let row = 0; row < this.rowCount; row++) if (this.kinds[row] === 0) yield row;
  }
}

/** Rows whose cells are texts already (JSON). */
export class TextRowBatch extends RowBatch {
  readonly rowCount: number;
  readonly #rows: readonly TextRow[];

  constructor(place: BatchPlace, rows: readonly TextRow[]) {
    super(place, rows.length);
    this.rowCount = rows.length;
    this.#rows = rows;
    rows.forEach((row, index) => {
      if (row.fault !== null) this.setFault(index, row.fault);
    });
  }

  /** The same batch without the rows before number `row` of the file. */
  from(row: number): TextRowBatch {
    const rows = this.#rows.slice(row - this.firstRow);
    // What stands before the list was told with the rows that are left out.
    const start = rows[0]?.offset ?? this.#rows.at(-1)?.offset ?? 0;
    const spans = this.spans.filter(({ from }) => from > start);
    return new TextRowBatch({ firstRow: row, next: this.next, isLast: this.isLast, spans }, rows);
  }

  line(row: number): number {
    return this.#rows[row]?.line ?? 0;
  }

  offset(row: number): number {
    return this.#rows[row]?.offset ?? 0;
  }

  override end(row: number): number {
    return this.#rows[row]?.end ?? super.end(row);
  }

  override size(from: number, to: number): number {
    let size = 0;
    for (let row = from; row < to; row++) size += this.#rows[row]?.bytes ?? this.end(row) - this.offset(row);
    return size;
  }

  cellCount(row: number): number {
    return this.#rows[row]?.cells.length ?? 0;
  }

  text(row: number, column: number): string {
    return this.#rows[row]?.cells[column] ?? '';
  }

  isEmpty(row: number, column: number): boolean {
    return this.text(row, column) === '';
  }

  firstCode(row: number, column: number): number {
    const text = this.text(row, column);
    return text === '' ? -1 : Math.min(text.charCodeAt(0), 128);
  }

  rawText(row: number): string {
    return this.#rows[row]?.raw() ?? '';
  }
}

export interface TextRow {
  readonly line: number;
  readonly offset: number;
  /** The byte behind it, where that is not the next row's first. */
  readonly end?: number;
  /** How long it is in the file that is read, where its offset is that of another. */
  readonly bytes?: number;
  readonly cells: readonly string[];
  readonly fault: RowFault | null;
  raw(): string;
}

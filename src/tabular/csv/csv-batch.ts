// Rows of delimited text: spans into the bytes they were read from. Text is decoded on demand and never twice as bytes.
import type { EdgeWords } from '../layout/edge-words.ts';
import { type Position, RowBatch } from '../row-batch.ts';
import { CELL_ESCAPED, CELL_WIDE, type CsvScanner } from './csv-scanner.ts';
import type { Dialect } from './dialect.ts';

export interface CsvBatchPlace {
  readonly firstRow: number;
  readonly next: Position;
  readonly isLast: boolean;
  /** Where each row starts in the original file. */
  readonly rowOffset: Float64Array;
}

/** Node's own slicing, without the argument checks of toString; 25 % of the time spent on text. */
interface FastBuffer extends Buffer {
  utf8Slice(start: number, end: number): string;
  latin1Slice(start: number, end: number): string;
}

export class CsvBatch extends RowBatch {
  readonly rowCount: number;
  /** The UTF-8 bytes that the spans point into. */
  readonly bytes: FastBuffer;
  readonly #cellStart: Int32Array;
  readonly #cellEnd: Int32Array;
  readonly #cellFlags: Uint8Array;
  readonly #rowFirstCell: Int32Array;
  readonly #rowStart: Int32Array;
  readonly #rowEnd: Int32Array;
  readonly #rowLine: Float64Array;
  readonly #rowOffset: Float64Array;
  #textRow = -1;
  #textStart = 0;
  #rowText = '';
  readonly #dialect: Dialect;

  constructor(place: CsvBatchPlace, bytes: Buffer, scanner: CsvScanner, dialect: Dialect) {
    super(place, scanner.rowCount, scanner.rowFault.slice(0, scanner.rowCount));
    const { rowCount, cellCount } = scanner;
    this.rowCount = rowCount;
    this.bytes = bytes as FastBuffer;
    this.#cellStart = scanner.cellStart.slice(0, cellCount);
    this.#cellEnd = scanner.cellEnd.slice(0, cellCount);
    this.#cellFlags = scanner.cellFlags.slice(0, cellCount);
    this.#rowFirstCell = scanner.rowFirstCell.slice(0, rowCount + 1);
    this.#rowStart = scanner.rowStart.slice(0, rowCount);
    this.#rowEnd = scanner.rowEnd.slice(0, rowCount);
    this.#rowLine = scanner.rowLine.slice(0, rowCount);
    this.#rowOffset = place.rowOffset;
    this.#dialect = dialect;
  }

  line(row: number): number {
    return this.#rowLine[row] ?? 0;
  }

  offset(row: number): number {
    return this.#rowOffset[row] ?? 0;
  }

  cellCount(row: number): number {
    return (this.#rowFirstCell[row + 1] ?? 0) - (this.#rowFirstCell[row] ?? 0);
  }

  text(row: number, column: number): string {
    const cell = this.cellIndex(row, column);
    if (cell === -1) return '';
    const start = this.#cellStart[cell] as number;
    const end = this.#cellEnd[cell] as number;
    if (start >= end) return '';
    const flags = this.#cellFlags[cell] as number;
    const text = (flags & CELL_WIDE) === 0 ? this.#cut(row, start, end) : this.bytes.utf8Slice(start, end);
    return (flags & CELL_ESCAPED) === 0 ? text : this.#unescape(text);
  }

  /** A row is decoded once as if it were ASCII, and the cells that are get cut out of that: half the cost of decoding each. */
  #cut(row: number, start: number, end: number): string {
    if (row !== this.#textRow) {
      this.#textRow = row;
      this.#textStart = this.#rowStart[row] as number;
      this.#rowText = this.bytes.latin1Slice(this.#textStart, this.#rowEnd[row] as number);
    }
    return this.#rowText.slice(start - this.#textStart, end - this.#textStart);
  }

  isEmpty(row: number, column: number): boolean {
    const cell = this.cellIndex(row, column);
    return cell === -1 || this.#cellStart[cell] === this.#cellEnd[cell];
  }

  firstCode(row: number, column: number): number {
    const cell = this.cellIndex(row, column);
    if (cell === -1 || this.#cellStart[cell] === this.#cellEnd[cell]) return -1;
    return Math.min(this.bytes[this.#cellStart[cell] as number] as number, 128);
  }

  override mayEdge(row: number, column: number, words: EdgeWords): boolean {
    const cell = this.cellIndex(row, column);
    // Escaped quotes at an end are no letters, with their escape or without.
    if (cell === -1) return false;
    return words.mayEdgeBytes(this.bytes, this.#cellStart[cell] as number, this.#cellEnd[cell] as number);
  }

  rawText(row: number): string {
    return this.bytes.toString('utf8', this.#rowStart[row] ?? 0, this.#rowEnd[row] ?? 0);
  }

  /** Number of a cell for `spanStart`/`spanEnd`, or -1 when the row has no such cell. */
  cellIndex(row: number, column: number): number {
    const cell = (this.#rowFirstCell[row] as number) + column;
    return cell < (this.#rowFirstCell[row + 1] as number) ? cell : -1;
  }

  /** For consumers that work on bytes: where the cell lies in `bytes`. Cells with escaped quotes must be asked for as text. */
  spanStart(cell: number): number {
    return this.#cellStart[cell] ?? 0;
  }

  spanEnd(cell: number): number {
    return this.#cellEnd[cell] ?? 0;
  }

  isEscaped(cell: number): boolean {
    return ((this.#cellFlags[cell] ?? 0) & CELL_ESCAPED) !== 0;
  }

  #unescape(text: string): string {
    const quote = this.#dialect.quote ?? '';
    if (this.#dialect.escape === 'double') return text.replaceAll(quote + quote, quote);
    return text.replace(/\\([\s\S])|([\s\S])\2/g, (whole, escaped: string | undefined, doubled: string | undefined) => {
      if (escaped === quote || escaped === '\\') return escaped;
      return doubled === quote ? quote : whole;
    });
  }
}

// Finds rows and cells in delimited UTF-8 bytes without building a string. It writes spans into typed arrays; whoever wants a
// cell's text decodes it once, later. It promises: every byte belongs to exactly one row; a row that cannot be split is kept
// whole as a faulted row of its first line, and scanning goes on with the next line, so a stray quote costs one row, not the
// rest of the file. Rows do not depend on where the chunks were cut. It does not interpret, trim or validate.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { TableLimits } from '../limits.ts';
import { faultNumber } from '../row-fault.ts';
import { type Dialect, endsAtReturn } from './dialect.ts';

const LF = 10;
const CR = 13;
const SPACE = 32;
const BACKSLASH = 92;
const UNCLOSED = faultNumber('row_quote_unclosed');
const MISPLACED = faultNumber('row_quote_misplaced');

/** Answers of `#closingQuote`: more bytes are needed, or there are none and the quote stays open. */
const UNFINISHED = -1;
const NEVER_CLOSED = -2;

/** Set on a cell whose text still contains escaped quotes. */
export const CELL_ESCAPED = 1;
/** Set on a cell that holds more than ASCII. */
export const CELL_WIDE = 2;
const LAST_ASCII = 127;

export class CsvScanner {
  cellStart = new Int32Array(1 << 14);
  cellEnd = new Int32Array(1 << 14);
  cellFlags = new Uint8Array(1 << 14);
  cellCount = 0;
  rowStart = new Int32Array(1 << 11);
  rowEnd = new Int32Array(1 << 11);
  rowFirstCell = new Int32Array((1 << 11) + 1);
  rowLine = new Float64Array(1 << 11);
  rowFault = new Uint8Array(1 << 11);
  rowCount = 0;
  /** Line number on which the next row starts. */
  line: number;

  readonly #stops = new Uint8Array(256);
  /** Its first byte. */
  readonly #delimiter: number;
  /** Its other bytes, where it has several. */
  readonly #delimiterRest: Uint8Array | null;
  readonly #quote: number;
  readonly #backslash: boolean;
  readonly #returnEnds: boolean;
  readonly #skipSpace: boolean;
  readonly #dropsBlanks: boolean;
  readonly #repeats: boolean;
  readonly #loose: boolean;
  readonly #limits: TableLimits;
  #rescanned = 0;
  /** Of the row being scanned. */
  #linesInQuotes = 0;
  /** Of the cell being scanned. */
  #flags = 0;

  constructor(dialect: Dialect, limits: TableLimits, line = 1) {
    const delimiter = Buffer.from(dialect.delimiter);
    this.#delimiter = delimiter[0] as number;
    this.#delimiterRest = delimiter.length === 1 ? null : delimiter.subarray(1);
    this.#quote = dialect.quote === null ? -1 : dialect.quote.charCodeAt(0);
    this.#backslash = dialect.escape === 'backslash';
    this.#returnEnds = endsAtReturn(dialect.lineEnd);
    this.#skipSpace = dialect.skipSpace;
    this.#dropsBlanks = dialect.dropsBlanks === true && this.#delimiter !== SPACE;
    this.#repeats = dialect.repeats === true;
    this.#loose = dialect.looseQuotes === true;
    this.#limits = limits;
    this.line = line;
    this.#stops[this.#delimiter] = 1;
    this.#stops[LF] = 1;
    if (this.#returnEnds) this.#stops[CR] = 1;
  }

  /**
   * Scans `bytes` from `start` up to `end` and returns where the first unfinished row starts. `bytes[end]` must exist and hold a
   * line feed: the loops run into it instead of testing for the end at every byte. With `final` nothing stays unfinished.
   * Results of an earlier call are overwritten. At most `maxRows` rows are taken.
   */
  scan(bytes: Uint8Array, start: number, end: number, final: boolean, maxRows = Number.MAX_SAFE_INTEGER): number {
    this.rowCount = 0;
    this.cellCount = 0;
    let at = start;
    while (at < end && this.rowCount < maxRows) {
      const next = this.#scanRow(bytes, at, end, final);
      if (next === -1) break;
      at = next;
    }
    this.rowFirstCell[this.rowCount] = this.cellCount;
    return at;
  }

  /** Scans one row and returns where the next one starts, or -1 when the row goes on beyond `end`. */
  #scanRow(bytes: Uint8Array, rowStart: number, end: number, final: boolean): number {
    const stops = this.#stops;
    const delimiter = this.#delimiter;
    const rest = this.#delimiterRest;
    const firstCell = this.cellCount;
    this.#linesInQuotes = 0;
    let i = rowStart;
    if (this.#repeats) while (bytes[i] === delimiter && i < end) i++;
    for (;;) {
      if (this.cellCount + 1 >= this.cellStart.length) this.#growCells();
      if (bytes[i] === SPACE && this.#dropsBlanks && i > rowStart) while (bytes[i] === SPACE && i < end) i++;
      else if (bytes[i] === SPACE && this.#skipSpace) i = this.#skipToQuote(bytes, i);
      let cellStart = i;
      let cellEnd: number;
      this.#flags = 0;
      if (bytes[i] === this.#quote && i < end) {
        cellStart = i + 1;
        cellEnd = this.#closingQuote(bytes, cellStart, end, final);
        if (cellEnd === UNFINISHED) return this.#unfinished(bytes, rowStart, end, true);
        if (cellEnd === NEVER_CLOSED) {
          return this.#recover(bytes, rowStart, end, UNCLOSED, this.#loose ? rowStart : end, final);
        }
        i = cellEnd + 1;
        if (i - rowStart > this.#limits.maxRowBytes) return this.#recover(bytes, rowStart, end, UNCLOSED, i, final);
        while (bytes[i] === SPACE && delimiter !== SPACE && i < end) i++;
        if (bytes[i] === CR && !this.#returnEnds) {
          if (i + 1 === end && !final) return this.#unfinished(bytes, rowStart, end, false);
          if (bytes[i + 1] === LF) i++;
        }
        if (!this.#endsCell(bytes, i)) {
          if (rest !== null && i + rest.length >= end && !final) return this.#unfinished(bytes, rowStart, end, false);
          return this.#recover(bytes, rowStart, end, MISPLACED, i, final);
        }
      } else {
        let seen = 0;
        for (let byte = bytes[i] as number; stops[byte] === 0; byte = bytes[++i] as number) seen |= byte;
        // The first sign of the delimiter alone is text. Cut off by the end of the window it is met again: the row is not finished then.
        while (rest !== null && i < end && !this.#endsCell(bytes, i)) {
          seen |= bytes[i++] as number;
          for (let byte = bytes[i] as number; stops[byte] === 0; byte = bytes[++i] as number) seen |= byte;
        }
        if (seen > LAST_ASCII) this.#flags = CELL_WIDE;
        cellEnd = i;
        const isReturnBefore = bytes[i] === LF && !this.#returnEnds && cellEnd > cellStart && bytes[cellEnd - 1] === CR;
        if (isReturnBefore) cellEnd--;
      }
      const cell = this.cellCount++;
      this.cellStart[cell] = cellStart;
      this.cellEnd[cell] = cellEnd;
      this.cellFlags[cell] = this.#flags;
      if (bytes[i] !== delimiter || i >= end) return this.#finishRow(bytes, rowStart, i, end, firstCell, final);
      i += rest === null ? 1 : 1 + rest.length;
      if (this.#repeats) {
        while (bytes[i] === delimiter && i < end) i++;
        if (bytes[i] === CR && bytes[i + 1] === LF && !this.#returnEnds) i++;
        if (stops[bytes[i] as number] === 1) return this.#finishRow(bytes, rowStart, i, end, firstCell, final);
      }
      if (this.cellCount - firstCell >= this.#limits.maxColumns) {
        throw new MillraceError('too_many_columns', { line: this.line, limit: this.#limits.maxColumns });
      }
    }
  }

  /** Whether a whole delimiter or a line end stands here. */
  #endsCell(bytes: Uint8Array, at: number): boolean {
    const byte = bytes[at] as number;
    if (this.#stops[byte] === 0) return false;
    const rest = this.#delimiterRest;
    if (rest === null || byte !== this.#delimiter) return true;
    for (let i = 0; i < rest.length; i++) if (bytes[at + 1 + i] !== rest[i]) return false;
    return true;
  }

  /** Where the quote that closes the cell stands; counts the lines inside and notes escapes. */
  #closingQuote(bytes: Uint8Array, from: number, end: number, final: boolean): number {
    const quote = this.#quote;
    let i = from;
    for (;;) {
      const c = bytes[i] as number;
      if (c > LAST_ASCII) this.#flags |= CELL_WIDE;
      if (c === quote && i < end) {
        // A quote as the very last byte may be the first half of an escaped one: wait for the next byte.
        if (i + 1 === end && !final) return UNFINISHED;
        if (bytes[i + 1] === quote && i + 1 < end) {
          this.#flags |= CELL_ESCAPED;
          i++;
        } else if (!this.#loose || this.#endsCell(bytes, i + 1) || bytes[i + 1] === CR) return i;
      } else if (c === LF) {
        if (i >= end) return final ? NEVER_CLOSED : UNFINISHED;
        if (this.#loose) return NEVER_CLOSED;
        this.#linesInQuotes++;
      } else if (c === CR && this.#returnEnds) {
        if (i + 1 === end && !final) return UNFINISHED;
        if (this.#loose) return NEVER_CLOSED;
        if (bytes[i + 1] !== LF || i + 1 === end) this.#linesInQuotes++;
      } else if (c === BACKSLASH && this.#backslash) {
        if (i + 1 === end && !final) return UNFINISHED;
        if (i + 1 < end && isEscapable(bytes[i + 1] as number, quote)) {
          this.#flags |= CELL_ESCAPED;
          i++;
        }
      }
      i++;
    }
  }

  /** Blanks before an opening quote do not belong to the cell; before anything else they do. */
  #skipToQuote(bytes: Uint8Array, from: number): number {
    let ahead = from;
    while (bytes[ahead] === SPACE) ahead++;
    return bytes[ahead] === this.#quote ? ahead : from;
  }

  /** The row ends at `at`: at a line feed, a return, or the end of everything. */
  #finishRow(bytes: Uint8Array, rowStart: number, at: number, end: number, firstCell: number, final: boolean): number {
    let next = at + 1;
    let rowEnd = at;
    if (at >= end) {
      if (!final) return this.#unfinished(bytes, rowStart, end, false);
      next = end;
      rowEnd = end;
    } else if (bytes[at] === CR) {
      if (next === end && !final) return this.#unfinished(bytes, rowStart, end, false);
      if (bytes[next] === LF && next < end) next++;
    } else if (!this.#returnEnds && bytes[at - 1] === CR && at > rowStart) {
      rowEnd = at - 1;
    }
    if (rowEnd - rowStart > this.#limits.maxRowBytes) this.#refuseLongRow();
    this.#endRow(rowStart, rowEnd, firstCell, 0);
    this.line += this.#linesInQuotes + 1;
    return next;
  }

  #endRow(start: number, end: number, firstCell: number, fault: number): void {
    if (this.rowCount + 1 >= this.rowStart.length) this.#growRows();
    const row = this.rowCount++;
    this.rowStart[row] = start;
    this.rowEnd[row] = end;
    this.rowFirstCell[row] = firstCell;
    this.rowLine[row] = this.line;
    this.rowFault[row] = fault;
  }

  /** The row goes on beyond `end`. Beyond the limit an open quote is given up, and a row without one refused. */
  #unfinished(bytes: Uint8Array, rowStart: number, end: number, inQuotes: boolean): number {
    this.cellCount = this.#cellsBefore(rowStart);
    if (end - rowStart <= this.#limits.maxRowBytes) return -1;
    if (!inQuotes) this.#refuseLongRow();
    return this.#recover(bytes, rowStart, end, UNCLOSED, end, false);
  }

  /** Drops the cells found in the row at `rowStart`. */
  #cellsBefore(rowStart: number): number {
    let cells = this.cellCount;
    while (cells > 0 && (this.cellStart[cells - 1] as number) >= rowStart) cells--;
    return cells;
  }

  /** Keeps the first line of a row that cannot be split as one faulted row and goes on behind it. */
  #recover(bytes: Uint8Array, rowStart: number, end: number, fault: number, scannedTo: number, final: boolean): number {
    this.cellCount = this.#cellsBefore(rowStart);
    let i = rowStart;
    while (bytes[i] !== LF && !(bytes[i] === CR && this.#returnEnds)) i++;
    // The line goes on beyond `end`, or its CR may be the first half of a CRLF.
    if (!final && (i >= end || (bytes[i] === CR && i + 1 === end))) {
      if (end - rowStart > this.#limits.maxRowBytes) this.#refuseLongRow();
      return -1;
    }
    let rowEnd = Math.min(i, end);
    if (rowEnd - rowStart > this.#limits.maxRowBytes) this.#refuseLongRow();
    let next = rowEnd + 1;
    if (bytes[i] === CR && bytes[i + 1] === LF) next++;
    if (bytes[i] === LF && !this.#returnEnds && rowEnd > rowStart && bytes[rowEnd - 1] === CR) rowEnd--;
    this.#rescanned += Math.max(0, scannedTo - next);
    if (this.#rescanned > this.#limits.maxRescanBytes) throw new MillraceError('quotes_broken', { line: this.line });
    const cell = this.cellCount++;
    this.cellStart[cell] = rowStart;
    this.cellEnd[cell] = rowEnd;
    this.cellFlags[cell] = CELL_WIDE;
    this.#endRow(rowStart, rowEnd, cell, fault);
    this.line++;
    return Math.min(next, end);
  }

  #refuseLongRow(): never {
    throw new MillraceError('line_too_long', { line: this.line, limit: this.#limits.maxRowBytes });
  }

  #growCells(): void {
    this.cellStart = grown(this.cellStart, new Int32Array(this.cellStart.length * 2));
    this.cellEnd = grown(this.cellEnd, new Int32Array(this.cellEnd.length * 2));
    this.cellFlags = grown(this.cellFlags, new Uint8Array(this.cellFlags.length * 2));
  }

  #growRows(): void {
    const length = this.rowStart.length * 2;
    this.rowStart = grown(this.rowStart, new Int32Array(length));
    this.rowEnd = grown(this.rowEnd, new Int32Array(length));
    this.rowFirstCell = grown(this.rowFirstCell, new Int32Array(length + 1));
    this.rowLine = grown(this.rowLine, new Float64Array(length));
    this.rowFault = grown(this.rowFault, new Uint8Array(length));
  }
}

function isEscapable(byte: number, quote: number): boolean {
  return byte === quote || byte === BACKSLASH;
}

function grown<T extends Int32Array | Uint8Array | Float64Array>(old: T, larger: T): T {
  larger.set(old);
  return larger;
}

// Tables that begin while the rows are read: a line that names columns again, in another order or for other things. Under the first names
// its rows would be stored with a wrong meaning; so the reader sets them aside, from that line to the end of the file or to the next line that
// repeats the first header. It examines a line only if a cheap sign is there: a blank line above it, or no value in a column that otherwise
// always has one.
import type { ColumnReading, Reading } from '../reading.ts';
import type { LaterTable, RowBatch } from '../row-batch.ts';
import { isYear } from './cell-traits.ts';
import { plain } from './names-again.ts';
import { isValueShape, shapeOf } from './value-shape.ts';

/** A column that holds a value in nearly every row says something by holding none. */
const ALWAYS = 0.9;
const MIN_NAMES = 3;
const numeric = ['integer', 'decimal', 'money', 'percent'];

type LineKind = 'row' | 'header' | 'repeated_header';

export class LaterTables {
  readonly #names: readonly string[];
  readonly #known: ReadonlySet<string>;
  readonly #firstCodes: ReadonlySet<number>;
  readonly #values: readonly number[];
  readonly #hasDates: boolean;
  /** The one that is asked first: numbers hardly ever start with a letter. */
  readonly #sign: number | undefined;
  readonly #beginsByFirstName: boolean;
  readonly #isOff: boolean;
  #lastLine: number;
  #isAfterBlank: boolean;
  #isInside: boolean;

  constructor({ format, header, columns, rules }: Reading, fromLine: number, before: LaterTable = {}) {
    this.#names = header.value.names.map(plain);
    this.#known = new Set(header.value.lines.length === 0 ? [] : this.#names);
    this.#firstCodes = new Set([...this.#known].flatMap(firstCodesOf));
    const always = columns.filter(({ fillRate }) => fillRate >= ALWAYS);
    const ofKinds = (kinds: readonly string[]) => always.filter(({ kind }) => kinds.includes(kind)).map(indexOf);
    const numbers = ofKinds(numeric);
    const dates = ofKinds(['date']);
    this.#values = [...numbers, ...dates];
    this.#hasDates = dates.length > 0;
    this.#sign = this.#values[0];
    // Records of JSON name their values one by one.
    this.#isOff = format === 'json' || format === 'ndjson' || this.#names.length < 2;
    this.#beginsByFirstName = rules !== undefined;
    this.#lastLine = fromLine - 1;
    this.#isAfterBlank = before.isAfterBlank === true;
    this.#isInside = before.isInside === true;
  }

  /** Whether the rows that come now belong to another table. */
  get isInside(): boolean {
    return this.#isInside;
  }

  /** What the next batch has to know; undefined where there is nothing to know. */
  get state(): LaterTable | undefined {
    if (!this.#isInside && !this.#isAfterBlank) return undefined;
    return { ...(this.#isInside ? { isInside: true } : {}), ...(this.#isAfterBlank ? { isAfterBlank: true } : {}) };
  }

  addBlank(): void {
    this.#isAfterBlank = true;
  }

  /** The first table goes on. */
  close(): void {
    this.#isInside = false;
    this.#isAfterBlank = false;
  }

  /** A line below the header that is not blank and does not repeat it word for word; in the order of the file. */
  look(batch: RowBatch, row: number): LineKind {
    const line = batch.line(row);
    // Sheets leave out their blank rows.
    const isAfterBlank = this.#isAfterBlank || (batch.unit === 'cells' && line > this.#lastLine + 1);
    this.#lastLine = line;
    this.#isAfterBlank = false;
    if (this.#isOff || batch.faults[row] !== 0 || !(isAfterBlank || this.#isStriking(batch, row))) return 'row';
    const kind = this.#kindOf(batch, row, isAfterBlank);
    if (kind === 'header') this.#isInside = true;
    if (kind === 'repeated_header') this.#isInside = false;
    return kind;
  }

  #isStriking(batch: RowBatch, row: number): boolean {
    if (this.#sign === undefined) return this.#firstCodes.has(batch.firstCode(row, 0));
    const code = batch.firstCode(row, this.#sign);
    return code === -1 || code > 64;
  }

  #kindOf(batch: RowBatch, row: number, isAfterBlank: boolean): LineKind {
    const cells = batch.texts(row).map((text) => text.trim());
    const filled = cells.filter((cell) => cell !== '');
    if (filled.length < 2) {
      // A title may stand between the blank line and the names.
      this.#isAfterBlank = isAfterBlank;
      return 'row';
    }
    if (filled.some((cell) => isValueShape(shapeOf(cell)) && !isYear(cell))) return 'row';
    const words = filled.map(plain);
    const known = words.filter((word) => this.#known.has(word)).length;
    // Below a blank line the first name is enough where the first column holds values of its own: nothing in it is called as the column is.
    const beginsAgain =
      this.#beginsByFirstName &&
      isAfterBlank &&
      this.#known.size > 0 &&
      cells[0] !== '' &&
      plain(cells[0] ?? '') === this.#names[0];
    if (beginsAgain || (known >= 2 && known * 2 >= filled.length))
      return this.#isInOrder(cells) ? 'repeated_header' : 'header';
    if (this.#isInside || new Set(words).size < words.length) return 'row';
    const isUnlike = this.#isUnlike(cells, isAfterBlank);
    return isUnlike && this.#hasRowsBelow(batch, row, cells, filled.length) ? 'header' : 'row';
  }

  /**
   * Values below the names, or texts where the first table has values. Two names and a value may be a fact in a footer: then the next line
   * must have one there as well.
   */
  #hasRowsBelow(batch: RowBatch, row: number, names: readonly string[], filled: number): boolean {
    const hasValue = (below: number) =>
      names.some((name, column) => name !== '' && isValueShape(shapeOf(batch.text(below, column))));
    if (!batch.isLast && row + 2 >= batch.rowCount) return filled >= MIN_NAMES;
    if (row + 1 >= batch.rowCount) return false;
    if (hasValue(row + 1) && filled >= MIN_NAMES) return true;
    if (row + 2 >= batch.rowCount) return false;
    if (hasValue(row + 1) && hasValue(row + 2)) return true;
    return this.#isForeign(batch, row + 1) && this.#isForeign(batch, row + 2);
  }

  /** A row of at least three texts, none of them a value where the first table has one. */
  #isForeign(batch: RowBatch, row: number): boolean {
    const cells = batch.texts(row);
    const filled = cells.filter((cell) => cell.trim() !== '').length;
    return filled >= MIN_NAMES && this.#values.every((column) => !isValueShape(shapeOf(cells[column] ?? '')));
  }

  /** The same names at the same places, written with other capitals or without the last ones. */
  #isInOrder(cells: readonly string[]): boolean {
    return cells.every((cell, column) => cell === '' || plain(cell) === this.#names[column]);
  }

  /** Texts where the first table has values. Without a blank line above, all of them must be, and a day or three numbers among them. */
  #isUnlike(cells: readonly string[], isAfterBlank: boolean): boolean {
    const texts = this.#values.filter((column) => (cells[column] ?? '') !== '').length;
    const absent = this.#values.filter((column) => column >= cells.length).length;
    if (isAfterBlank) return texts + absent > 0;
    const isAll = texts === this.#values.length && cells.every((cell) => cell !== '');
    return isAll && texts >= (this.#hasDates ? 2 : MIN_NAMES);
  }
}

function firstCodesOf(name: string): number[] {
  const code = Math.min(name.charCodeAt(0), 128);
  return [code, name.slice(0, 1).toUpperCase().charCodeAt(0)];
}

function indexOf({ index }: ColumnReading): number {
  return index;
}

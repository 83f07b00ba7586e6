// Says of every row what it is: data, or furniture to be set aside (titles, headers, blanks, totals, footers). Furniture is
// handed on with its kind, never dropped, so that a receipt can count it and a user can put a row back.
//
// A total is recognised by its label in any column, provided that the columns that name things are mostly empty; or, without a
// label, as the first or one of the last rows of the table, when all naming columns are empty and numbers are not. A row like
// that in the middle stays data: it is a broken row that somebody must see, not a total.
import type { Reading } from '../reading.ts';
import type { RowBatch, RowKind } from '../row-batch.ts';
import { textMarkers } from '../values/empty-markers.ts';
import { defaultTotalWords, TotalLabels } from './total-words.ts';

const NOTE_CELLS = 2;

export class RowClassifier {
  readonly #labels: TotalLabels;
  readonly #names: readonly string[];
  readonly #headerLines: ReadonlySet<number>;
  readonly #keptLines: ReadonlySet<number>;
  readonly #dataFromLine: number;
  readonly #identity: readonly number[];
  readonly #dates: readonly number[];
  readonly #numbers: readonly number[];
  readonly #padsShortRows: boolean;
  #hasSeenData: boolean;

  /** `fromLine`: where the first batch starts; rows of data may have come before it. */
  constructor(reading: Reading, fromLine: number) {
    this.#labels = new TotalLabels(reading.totals.words);
    this.#names = reading.header.value.names;
    this.#headerLines = new Set(reading.header.value.lines);
    this.#keptLines = new Set(reading.keptLines);
    this.#dataFromLine = dataFromLine(reading);
    const ofKind = (...kinds: string[]) =>
      reading.columns.filter((column) => kinds.includes(column.kind)).map((column) => column.index);
    this.#identity = reading.totals.identityColumns ?? ofKind('text', 'id');
    this.#dates = ofKind('date');
    this.#numbers = ofKind('integer', 'decimal', 'money', 'percent');
    this.#padsShortRows = reading.shortRows === 'pad';
    this.#hasSeenData = fromLine > this.#dataFromLine;
  }

  classify(batch: RowBatch): void {
    for (let row = 0; row < batch.rowCount; row++) batch.setKind(row, this.#kindOf(batch, row));
    if (batch.isLast) this.#classifyTail(batch);
    for (let row = 0; row < batch.rowCount; row++) if (batch.kinds[row] === 0) this.#checkWidth(batch, row);
  }

  #kindOf(batch: RowBatch, row: number): RowKind {
    if (isBlank(batch, row)) return 'blank';
    const line = batch.line(row);
    if (line < this.#dataFromLine) return this.#headerLines.has(line) ? 'header' : 'preamble';
    if (batch.faults[row] === 0 && !this.#keptLines.has(line)) {
      if (this.#isRepeatedHeader(batch, row)) return 'header';
      if (this.#isLabelledTotal(batch, row)) return 'total';
      if (!this.#hasSeenData && this.#isUnlabelledTotal(batch, row)) return 'total';
    }
    this.#hasSeenData = true;
    return 'data';
  }

  /**
   * Goes up from the end of the file to the last row that is surely data. Notes count as footers only when a blank line or a
   * total parts them from the data: right below data, a row of a cell or two is more likely one that was cut off.
   */
  #classifyTail(batch: RowBatch): void {
    let notes: number[] = [];
    for (let row = batch.rowCount - 1; row >= 0; row--) {
      const isTotal = batch.kind(row) === 'data' && this.#isTrailing(batch, row) && this.#isUnlabelledTotal(batch, row);
      if (isTotal) batch.setKind(row, 'total');
      if (batch.kind(row) !== 'data') {
        for (const note of notes) batch.setKind(note, 'footer');
        notes = [];
      } else if (this.#isTrailing(batch, row) && this.#isNote(batch, row)) notes.push(row);
      else return;
    }
  }

  #isTrailing(batch: RowBatch, row: number): boolean {
    return batch.faults[row] === 0 && !this.#keptLines.has(batch.line(row));
  }

  #isLabelledTotal(batch: RowBatch, row: number): boolean {
    const cells = Math.min(batch.cellCount(row), this.#names.length);
    for (let column = 0; column < cells; column++) {
      if (!this.#labels.canStartWith(batch.firstCode(row, column))) continue;
      if (this.#labels.matches(batch.text(row, column))) return this.#namesLittle(batch, row, column);
    }
    return false;
  }

  /** Apart from the label, the columns that name things are mostly empty; without such columns the dates decide. */
  #namesLittle(batch: RowBatch, row: number, label: number): boolean {
    const others = this.#identity.filter((column) => column !== label);
    if (others.length === 0) return this.#dates.every((column) => isVoid(batch, row, column));
    const empty = others.filter((column) => isVoid(batch, row, column)).length;
    return empty * 2 >= others.length;
  }

  #isUnlabelledTotal(batch: RowBatch, row: number): boolean {
    return (
      this.#identity.length > 0 &&
      this.#identity.every((column) => isVoid(batch, row, column)) &&
      this.#numbers.some((column) => !isVoid(batch, row, column))
    );
  }

  /** A cell or two, and no numbers. */
  #isNote(batch: RowBatch, row: number): boolean {
    if (this.#names.length <= NOTE_CELLS || batch.cellCount(row) > this.#names.length) return false;
    let filled = 0;
    for (let column = 0; column < batch.cellCount(row); column++) if (!batch.isEmpty(row, column)) filled++;
    return (
      filled <= NOTE_CELLS && this.#numbers.length > 0 && this.#numbers.every((column) => isVoid(batch, row, column))
    );
  }

  /** Exports that were put together by hand repeat their header in the middle. */
  #isRepeatedHeader(batch: RowBatch, row: number): boolean {
    if (this.#headerLines.size === 0 || this.#names.length < 2) return false;
    const first = this.#names[0] ?? '';
    if (batch.firstCode(row, 0) !== Math.min(first.charCodeAt(0), 128)) return false;
    return this.#names.every((name, column) => batch.text(row, column).trim() === name);
  }

  #checkWidth(batch: RowBatch, row: number): void {
    if (batch.faults[row] !== 0) return;
    const width = this.#names.length;
    const cells = batch.cellCount(row);
    if (cells === width) return;
    if (cells < width) {
      if (!this.#padsShortRows) batch.setFault(row, 'row_too_short');
      return;
    }
    for (let column = width; column < cells; column++) {
      if (batch.isEmpty(row, column)) continue;
      batch.setFault(row, 'row_too_long');
      return;
    }
  }
}

/** The rules with which totals are found unless the caller brings its own. */
export function defaultTotalRules(): Reading['totals'] {
  return { words: defaultTotalWords, identityColumns: null };
}

function dataFromLine(reading: Reading): number {
  const lines = [...reading.header.value.lines, ...reading.preamble.map((row) => row.line)];
  return lines.length === 0 ? 1 : Math.max(...lines) + 1;
}

function isBlank(batch: RowBatch, row: number): boolean {
  if (batch.faults[row] !== 0) return false;
  const cells = batch.cellCount(row);
  for (let column = 0; column < cells; column++) {
    if (batch.isEmpty(row, column)) continue;
    const code = batch.firstCode(row, column);
    if (code > 32 && code < 128) return false;
    if (batch.text(row, column).trim() !== '') return false;
  }
  return true;
}

/** Empty, blanks or a dash. */
function isVoid(batch: RowBatch, row: number, column: number): boolean {
  if (batch.isEmpty(row, column)) return true;
  const text = batch.text(row, column).trim();
  return text === '' || textMarkers.has(text);
}

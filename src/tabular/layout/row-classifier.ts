// Classifies every row: data, or a line to set aside (title, header, blank, total, note, another table). The classifier passes set-aside lines on with
// their kind and never drops them, so that a receipt can count them and a user can turn one into a row.
//
// A total is recognised by its label in any column, provided that the columns that name things are mostly empty; or, without a
// label, as the first or one of the last rows of the table, when all naming columns are empty and numbers are not. A row like
// that in the middle stays data: it is a broken row that somebody must see, not a total. Where nothing but the label names a row (no other
// name, no date), a label is believed only at the end of the table, and only if the rows above add up to it. A line of dashes is a rule.
import type { Reading } from '../reading.ts';
import type { Position, RowBatch, RowKind } from '../row-batch.ts';
import { textMarkers } from '../values/empty-markers.ts';
import type { NumberStyle } from '../values/number-style.ts';
import { parseNumber } from '../values/parse-number.ts';
import { CommentLines, isCommentCode } from './comment-lines.ts';
import { unnamedColumn } from './join-names.ts';
import { LaterTables } from './later-tables.ts';
import { saysNote, saysPage } from './note-words.ts';
import { isRuleCode, isRuleRow } from './rules-between-rows.ts';
import { TotalRows } from './total-rows.ts';
import { defaultTotalWords, TotalLabels } from './total-words.ts';
import { shapeOf } from './value-shape.ts';

const NOTE_CELLS = 2;
/** A column that names things does so in at least this share of the rows. */
const NAMING_FILL = 0.5;

export class RowClassifier {
  readonly #labels: TotalLabels;
  readonly #names: readonly string[];
  readonly #headerLines: ReadonlySet<number>;
  readonly #keptLines: ReadonlySet<number>;
  readonly #dataFromLine: number;
  readonly #firstHeaderLine: number;
  readonly #otherTables: readonly { readonly fromLine: number; readonly toLine: number | null }[];
  readonly #style: NumberStyle;
  readonly #identity: readonly number[];
  /** Those of them that are filled in most rows: an empty one there says something. */
  readonly #naming: readonly number[];
  readonly #dates: readonly number[];
  /** Those whose days differ from row to row. */
  readonly #days: readonly number[];
  /** Where nobody knows what names a row: whole numbers in front, which are hardly added up. */
  readonly #counted: number | null;
  /** Both: what tells a row from others. */
  readonly #telling: readonly number[];
  readonly #numbers: readonly number[];
  /** Null unless a person said that there are any. */
  readonly #among: TotalRows | null;
  /** Empty cells in the columns that name things are read as the value above: then only sums tell a total without a label. */
  readonly #isCarried: boolean;
  readonly #padsShortRows: boolean;
  readonly #later: LaterTables;
  /** Null in readings that were decided before comments were told from rows. */
  readonly #comments: CommentLines | null;
  #hasSeenData: boolean;

  /** `from`: where the first batch starts; rows of data may have come before it. */
  constructor(reading: Reading, { line: fromLine, later }: Position) {
    this.#labels = new TotalLabels(reading.totals.words);
    this.#names = reading.header.value.names;
    this.#headerLines = new Set(reading.header.value.lines);
    this.#keptLines = new Set(reading.keptLines);
    this.#dataFromLine = dataFromLine(reading);
    const ofKind = (...kinds: string[]) =>
      reading.columns.filter((column) => kinds.includes(column.kind)).map((column) => column.index);
    this.#identity = reading.totals.identityColumns ?? ofKind('text', 'id');
    const fillRates = new Map(reading.columns.map((column) => [column.index, column.fillRate]));
    this.#naming = this.#identity.filter((column) => (fillRates.get(column) ?? 1) >= NAMING_FILL);
    this.#firstHeaderLine = reading.header.value.lines[0] ?? 0;
    this.#otherTables = reading.otherTables ?? [];
    this.#style = reading.numbers.value;
    this.#dates = ofKind('date');
    const isNew = reading.rules !== undefined;
    this.#days = reading.columns
      .filter(
        ({ kind, fillRate, examples }) => isNew && kind === 'date' && fillRate >= NAMING_FILL && examples.length > 1,
      )
      .map(({ index }) => index);
    const leading = reading.columns.find(({ kind }) => kind !== 'date');
    this.#counted =
      isNew && reading.totals.identityColumns === null && leading?.kind === 'integer' ? leading.index : null;
    this.#telling = [...this.#naming, ...this.#dates];
    this.#numbers = ofKind('integer', 'decimal', 'money', 'percent');
    this.#among =
      reading.totals.among === undefined ? null : new TotalRows(this.#names, reading.totals.among, this.#labels);
    this.#isCarried = this.#identity.some((column) => reading.carryDown?.includes(this.#names[column] ?? ''));
    this.#padsShortRows = reading.shortRows === 'pad';
    this.#hasSeenData = fromLine > this.#dataFromLine;
    this.#later = new LaterTables(reading, fromLine, later);
    this.#comments = reading.rules === 2 ? new CommentLines(reading) : null;
  }

  classify(batch: RowBatch): void {
    for (let row = 0; row < batch.rowCount; row++) batch.setKind(row, this.#kindOf(batch, row));
    if (batch.isLast) this.#classifyTail(batch);
    batch.carry(this.#later.state);
    for (let row = 0; row < batch.rowCount; row++) if (batch.kinds[row] === 0) this.#checkWidth(batch, row);
  }

  #kindOf(batch: RowBatch, row: number): RowKind {
    if (isBlank(batch, row)) {
      this.#later.addBlank();
      return 'blank';
    }
    const line = batch.line(row);
    if (this.#isInOtherTable(line) && !this.#keptLines.has(line)) return 'other_table';
    if (line < this.#dataFromLine) {
      if (this.#headerLines.has(line)) return 'header';
      return this.#firstHeaderLine > 0 && line > this.#firstHeaderLine ? 'note' : 'preamble';
    }
    if (batch.faults[row] === 0 && !this.#keptLines.has(line)) {
      if (this.#isRepeatedHeader(batch, row)) {
        this.#later.close();
        return 'repeated_header';
      }
      const kind = this.#hasSeenData ? this.#later.look(batch, row) : 'row';
      if (kind === 'repeated_header') return kind;
      if (kind === 'header') this.#setTitlesAside(batch, row);
    }
    if (this.#later.isInside && !this.#keptLines.has(line)) return 'other_table';
    if (!this.#keptLines.has(line) && this.#isAside(batch, row)) return 'note';
    if (batch.faults[row] === 0 && !this.#keptLines.has(line)) {
      if (this.#among?.has(batch, row) === true) return 'total';
      if (this.#isLabelledTotal(batch, row) || this.#isGroupTotal(batch, row)) return 'total';
      if (!this.#hasSeenData && this.#isUnlabelledTotal(batch, row)) return 'total';
    }
    this.#hasSeenData = true;
    return 'data';
  }

  /** A line that is drawn, the number of a page, or a comment. */
  #isAside(batch: RowBatch, row: number): boolean {
    let column = 0;
    while (column < batch.cellCount(row) && batch.isEmpty(row, column)) column++;
    const code = batch.firstCode(row, column);
    if (isRuleCode(code) && isRuleRow(batch.texts(row))) return true;
    if (this.#comments === null || column > 0) return false;
    if (
      batch.isEmpty(row, 1) &&
      this.#names.length > 1 &&
      filledCells(batch, row) === 1 &&
      saysPage(batch.text(row, 0))
    )
      return true;
    if (!isCommentCode(code)) return false;
    return this.#comments.isComment(batch.text(row, 0), batch.cellCount(row));
  }

  /** A title right above the names of another table belongs to it. */
  #setTitlesAside(batch: RowBatch, header: number): void {
    for (let row = header - 1; row >= 0 && batch.kind(row) === 'data' && this.#isTrailing(batch, row); row--) {
      if (filledCells(batch, row) > 1) return;
      batch.setKind(row, 'other_table');
    }
  }

  #isInOtherTable(line: number): boolean {
    for (const { fromLine, toLine } of this.#otherTables) {
      if (line >= fromLine && (toLine === null || line <= toLine)) return true;
    }
    return false;
  }

  /**
   * Goes up from the end of the file to the last row that is surely data. Lines of a cell or two count as notes when a blank line or a
   * total parts them from the data, or when they say so themselves; right below data, another one is more likely a row that was cut off.
   */
  #classifyTail(batch: RowBatch): void {
    let notes: number[] = [];
    let row = batch.rowCount - 1;
    for (; row >= 0; row--) {
      const isTotal = batch.kind(row) === 'data' && this.#isTrailing(batch, row) && this.#isTotalAtEnd(batch, row);
      if (isTotal) batch.setKind(row, 'total');
      if (batch.kind(row) !== 'data') {
        for (const note of notes) batch.setKind(note, 'footer');
        notes = [];
      } else if (this.#isTrailing(batch, row) && this.#isNote(batch, row)) notes.push(row);
      else break;
    }
    for (const note of notes) if (saysNote(firstText(batch, note))) batch.setKind(note, 'footer');
  }

  #isTotalAtEnd(batch: RowBatch, row: number): boolean {
    if (this.#isUnlabelledTotal(batch, row)) return true;
    return this.#hasOnlyLabels && this.#labelColumn(batch, row) !== -1 && this.#addsUp(batch, row);
  }

  #isTrailing(batch: RowBatch, row: number): boolean {
    return batch.faults[row] === 0 && !this.#keptLines.has(batch.line(row));
  }

  #isLabelledTotal(batch: RowBatch, row: number): boolean {
    if (this.#hasOnlyLabels) return false;
    const column = this.#labelColumn(batch, row);
    return column !== -1 && this.#namesLittle(batch, row, column);
  }

  /** "North Total" with nothing but numbers beside it, where other rows name two things or more, or one and a day. */
  #isGroupTotal(batch: RowBatch, row: number): boolean {
    if (this.#telling.length < 2) return false;
    let label = -1;
    for (const column of this.#telling) {
      if (isVoid(batch, row, column)) continue;
      if (label !== -1) return false;
      label = column;
    }
    if (label === -1 || !this.#labels.namesGroup(batch.text(row, label))) return false;
    return this.#numbers.some((column) => !isVoid(batch, row, column));
  }

  /** The column of the first cell that reads like the label of a total, or -1. */
  #labelColumn(batch: RowBatch, row: number): number {
    const cells = Math.min(batch.cellCount(row), this.#names.length);
    for (let column = 0; column < cells; column++) {
      if (!this.#labels.canStartWith(batch.firstCode(row, column))) continue;
      if (this.#labels.matches(batch.text(row, column))) return column;
    }
    return -1;
  }

  /** One column names the rows and there are no days: then "Total" may be a row like any other. */
  get #hasOnlyLabels(): boolean {
    return this.#naming.length <= 1 && this.#dates.length === 0;
  }

  /** Apart from the label, the columns that name things are mostly empty; without such columns the dates decide. */
  #namesLittle(batch: RowBatch, row: number, label: number): boolean {
    const others = this.#naming.filter((column) => column !== label);
    if (others.length === 0) return this.#dates.every((column) => column === label || isVoid(batch, row, column));
    const empty = others.filter((column) => isVoid(batch, row, column)).length;
    return empty * 2 >= others.length;
  }

  /** Whether a column of the rows above sums up to the row, within rounding. What came before this batch is not known: then the label counts. */
  #addsUp(batch: RowBatch, row: number, unlessKnown = true): boolean {
    if (batch.firstRow > 0) return unlessKnown;
    return this.#numbers.some((column) => {
      const total = this.#numberAt(batch, row, column);
      if (total === null) return false;
      let sum = 0;
      let count = 0;
      for (let above = 0; above < row; above++) {
        if (batch.kinds[above] !== 0) continue;
        sum += this.#numberAt(batch, above, column) ?? 0;
        count++;
      }
      return count > 1 && Math.abs(sum - total) <= Math.max(0.01 * count, Math.abs(total) * 0.001);
    });
  }

  #numberAt(batch: RowBatch, row: number, column: number): number | null {
    const parsed = parseNumber(batch.text(row, column), this.#style);
    return parsed.kind === 'value' ? Number(parsed.value) : null;
  }

  #isUnlabelledTotal(batch: RowBatch, row: number): boolean {
    return (
      this.#identity.length > 0 &&
      this.#identity.every((column) => isVoid(batch, row, column)) &&
      this.#numbers.some((column) => !isVoid(batch, row, column)) &&
      !this.#hasOwnDay(batch, row) &&
      (this.#counted === null || isVoid(batch, row, this.#counted)) &&
      (!this.#isCarried || this.#addsUp(batch, row, false))
    );
  }

  /** A total is of all days: a row of one day whose name is missing is a broken row. From one day to another it may be a total. */
  #hasOwnDay(batch: RowBatch, row: number): boolean {
    const [first, ...others] = this.#days;
    if (first === undefined) return false;
    const day = batch.text(row, first);
    return shapeOf(day) === 'date' && others.every((column) => batch.text(row, column) === day);
  }

  /** A cell or two, and no numbers. */
  #isNote(batch: RowBatch, row: number): boolean {
    if (batch.cellCount(row) > this.#names.length) return false;
    const filled = filledCells(batch, row);
    const width = this.#names.length;
    if (width <= NOTE_CELLS) return filled === 1 && !batch.isEmpty(row, 0) && width > 1;
    if (this.#numbers.length === 0) return filled === 1;
    return filled <= NOTE_CELLS && this.#numbers.every((column) => isVoid(batch, row, column));
  }

  /** Exports that were put together by hand repeat their header in the middle. Of a header of several rows, the last one counts. */
  #isRepeatedHeader(batch: RowBatch, row: number): boolean {
    if (this.#headerLines.size === 0 || this.#names.length < 2) return false;
    if (this.#headerLines.size > 1) return this.#isPartOfHeader(batch, row);
    const first = this.#names[0] ?? '';
    if (first !== unnamedColumn(0) && batch.firstCode(row, 0) !== Math.min(first.charCodeAt(0), 128)) return false;
    return this.#names.every((name, column) => {
      const text = batch.text(row, column).trim();
      return text === name || (text === '' && name === unnamedColumn(column));
    });
  }

  #isPartOfHeader(batch: RowBatch, row: number): boolean {
    let filled = 0;
    for (let column = 0; column < this.#names.length; column++) {
      const text = batch.text(row, column).trim().replace(/\s+/g, ' ');
      if (text === '') continue;
      filled++;
      if (!(this.#names[column] ?? '').endsWith(text)) return false;
    }
    return filled >= 2 && filled * 2 >= this.#names.length;
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

function filledCells(batch: RowBatch, row: number): number {
  let filled = 0;
  for (let column = 0; column < batch.cellCount(row); column++) if (!batch.isEmpty(row, column)) filled++;
  return filled;
}

function firstText(batch: RowBatch, row: number): string {
  for (let column = 0; column < batch.cellCount(row); column++) {
    const text = batch.text(row, column).trim();
    if (text !== '') return text;
  }
  return '';
}

/** Empty, blanks or a dash. */
function isVoid(batch: RowBatch, row: number, column: number): boolean {
  if (batch.isEmpty(row, column)) return true;
  const text = batch.text(row, column).trim();
  return text === '' || textMarkers.has(text);
}

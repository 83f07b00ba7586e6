// Finds the table inside the file: titles above it, one header row or up to five, or none. Each of the first rows is weighed as the header:
// how unlike the rows below it is, how full, what stands around it, and whether the caller knows its words (field names and synonyms).
// The best one wins if more speaks for it than against it; otherwise the file has no header, and its first row is kept as data.
import { type Decision, weigh, weighed } from '../decision.ts';
import type { Clue, Rival } from '../reading-evidence.ts';
import { BodyModel } from './body-model.ts';
import { isYear } from './cell-traits.ts';
import { joinNames, unnamedColumn } from './join-names.ts';
import { isRuleRow } from './rules-between-rows.ts';
import { filledCount, type SampleRow, usualWidth } from './sample-row.ts';
import { isValueShape, shapeOf } from './value-shape.ts';

export interface HeaderLayout {
  /** Lines of the header rows; none when the file starts with data. */
  readonly lines: readonly number[];
  readonly names: readonly string[];
  /** How many sample rows come before the data. */
  readonly skippedRows: number;
}

const SEARCH_ROWS = 50;
const MODEL_ROWS = 200;
const MAX_HEADER_ROWS = 5;
/** Rows of data in a row after which no header is looked for. */
const ENOUGH_DATA = 4;
/** Most files have a header, and most headers stand first. */
const HEADER_PRIOR = 1.5;

export function detectHeader(
  rows: readonly SampleRow[],
  isKnownHeader: (name: string) => boolean,
): Decision<HeaderLayout> | null {
  const width = usualWidth(rows);
  if (width === 0) return null;
  return new HeaderSearch(rows, width, isKnownHeader).decide();
}

/** The names for a header that the user has pointed at. */
export function headerAt(
  rows: readonly SampleRow[],
  lines: readonly number[],
  isKnownHeader: (name: string) => boolean = () => false,
): HeaderLayout | null {
  const indexes = lines.map((line) => rows.findIndex((row) => row.line === line));
  if (indexes.includes(-1)) return null;
  const headers = indexes.map((index) => rows[index]).filter((row) => row !== undefined);
  const last = Math.max(-1, ...indexes);
  if (headers.length === 0) return withoutHeader(0, usualWidth(rows));
  const knownCount = headers.at(-1)?.cells.filter((cell) => cell.trim() !== '' && isKnownHeader(cell)).length ?? 0;
  return { lines, names: joinNames(headers, knownCount > 1), skippedRows: last + 1 };
}

interface Candidate {
  readonly index: number;
  readonly clues: readonly Clue[];
  readonly odds: number;
  readonly knownCount: number;
}

/** A row above a candidate that is shaped like a row of the table. */
interface RowAbove {
  readonly cells: number;
  readonly isData: boolean;
}

class HeaderSearch {
  readonly #rows: readonly SampleRow[];
  readonly #width: number;
  readonly #isKnown: (name: string) => boolean;
  readonly #usualFill: number;
  /** From here on rows are taken for a model of the data while the first ones are weighed. */
  readonly #coreFrom: number;
  readonly #models = new Map<number, BodyModel>();
  /** How often each line occurs, word for word. */
  readonly #times = new Map<string, number>();

  constructor(rows: readonly SampleRow[], width: number, isKnown: (name: string) => boolean) {
    this.#rows = rows;
    this.#width = width;
    this.#isKnown = isKnown;
    this.#usualFill = medianFill(rows, width);
    this.#coreFrom = Math.min(8, Math.ceil(rows.length / 2));
    for (const row of rows) this.#times.set(keyOf(row), (this.#times.get(keyOf(row)) ?? 0) + 1);
  }

  decide(): Decision<HeaderLayout> | null {
    const candidates = this.#candidates();
    const first = this.#firstFull();
    if (candidates.length === 0) return first === -1 ? null : this.#none(first, null);
    const ranked = [...candidates].sort((a, b) => b.odds - a.odds);
    const best = ranked[0] as Candidate;
    if (best.odds <= 0) return this.#none(first === -1 ? best.index : first, best);
    const block = this.#block(best.index);
    const runnerUp = ranked.find(({ index }) => index < block.from || index > block.to);
    const layout = this.#layout(block, best.knownCount);
    return weighed(layout, best.clues, rivalOf(runnerUp, this.#rows), reasonOf(best));
  }

  /** Every row that could be the header, until the data has surely begun. */
  #candidates(): Candidate[] {
    const found: Candidate[] = [];
    const above: RowAbove[] = [];
    let dataInARow = 0;
    for (let index = 0; index < Math.min(this.#rows.length, SEARCH_ROWS); index++) {
      const row = this.#rows[index] as SampleRow;
      if (isRuleRow(row.cells)) continue;
      const knownCount = row.cells.filter((cell) => cell.trim() !== '' && this.#isKnown(cell)).length;
      const isWide = this.#isWide(row);
      const odds = isWide && row.isBroken !== true ? this.#model(index).headerOdds(row) : 1;
      if (isWide || knownCount > 1) found.push(this.#weighRow(index, knownCount, above));
      const isData = isWide && odds < -0.5 && knownCount < 2;
      dataInARow = isData ? dataInARow + 1 : 0;
      if (isWide) above.push({ cells: row.cells.length, isData });
      // Known words are believed wherever they stand; without any, the table has begun here.
      if (dataInARow >= ENOUGH_DATA && index > this.#coreFrom) break;
    }
    return found;
  }

  #weighRow(index: number, knownCount: number, above: readonly RowAbove[]): Candidate {
    const row = this.#rows[index] as SampleRow;
    const clues = [...this.#model(index).headerClues(row), ...this.#placeClues(index, above)];
    const filled = row.cells.map((cell) => cell.trim().toLowerCase()).filter((cell) => cell !== '');
    if (new Set(filled).size < filled.length) clues.push({ says: 'some of its cells are equal', weight: -0.8 });
    if (filled.some((cell) => cell.length > 60)) clues.push({ says: 'one of its cells is a long text', weight: -1 });
    if (row.isBroken === true) clues.push({ says: 'its quotes are broken', weight: -0.5 });
    if (this.#comesAgain(row)) clues.push({ says: 'the same line comes again below', weight: 2 });
    if (knownCount > 0) {
      const says = `${knownCount} of its cells are known column names`;
      clues.push({ says, weight: knownCount === 1 ? 1 : 2 + knownCount * 1.5 });
    }
    return { index, clues, odds: clues.reduce((sum, { weight }) => sum + weight, 0), knownCount };
  }

  #placeClues(index: number, above: readonly RowAbove[]): Clue[] {
    const row = this.#rows[index] as SampleRow;
    // Narrower rows are titles or another table; what is lost with them is not this table's.
    const shaped = above.filter(({ cells }) => cells >= row.cells.length);
    const dataAbove = shaped.filter(({ isData }) => isData).length;
    const wideAbove = shaped.length - dataAbove;
    const next = this.#rows[index + 1];
    const fill = filledCount(row) / Math.max(1, this.#usualFill);
    const clues: Clue[] = [
      { says: 'most files name their columns', weight: HEADER_PRIOR - Math.min(1.5, index * 0.1) },
    ];
    if (fill < 0.9) clues.push({ says: 'some of its cells are empty', weight: -(0.9 - fill) * 4 });
    const missing = this.#width - row.cells.length;
    if (missing > 0)
      clues.push({ says: `it has ${missing} cells less than most rows`, weight: -Math.min(2.5, 0.8 * missing) });
    if (dataAbove > 0) clues.push({ says: `${dataAbove} rows above it look like data`, weight: -1.5 * dataAbove });
    if (wideAbove > 0) clues.push({ says: `${wideAbove} full rows stand above it`, weight: -0.5 * wideAbove });
    if (index === 0 || row.isAfterBlank === true) clues.push({ says: 'it starts a block of lines', weight: 0.4 });
    if (next?.isAfterBlank === true) {
      const isTitle = this.#isWide(next) && this.#model(index + 1).textShare(next) >= 0.6;
      if (isTitle) clues.push({ says: 'names follow after a blank line', weight: -3 });
      else clues.push({ says: 'a blank line parts it from the rows below', weight: -0.7 });
    }
    if (next === undefined && index > 0) clues.push({ says: 'nothing follows it', weight: -1.5 });
    return clues;
  }

  /** Names that are repeated in the middle: texts and years throughout, and no two rows of a table are alike like that. */
  #comesAgain(row: SampleRow): boolean {
    if ((this.#times.get(keyOf(row)) ?? 0) < 2 || filledCount(row) < 3) return false;
    const isNames = row.cells.every((cell) => !isValueShape(shapeOf(cell)) || isYear(cell.trim()));
    return isNames && this.#model(this.#rows.indexOf(row)).valueColumns.length > 0;
  }

  #model(index: number): BodyModel {
    const from = Math.max(index + 1, this.#coreFrom);
    const same = keyOf(this.#rows[index] as SampleRow);
    // Where the line comes again below, a model without it is this line's alone.
    const isOwn = (this.#times.get(same) ?? 0) > 1;
    const known = isOwn ? undefined : this.#models.get(from);
    if (known !== undefined) return known;
    const body: SampleRow[] = [];
    for (let below = from; below < this.#rows.length && body.length < MODEL_ROWS; below += 1) {
      const row = this.#rows[below] as SampleRow;
      if (row.isBroken !== true && this.#isWide(row) && keyOf(row) !== same) body.push(row);
    }
    const model = new BodyModel(body, this.#width);
    if (!isOwn) this.#models.set(from, model);
    return model;
  }

  #isWide(row: SampleRow): boolean {
    return (
      row.cells.length >= this.#width * 0.6 &&
      filledCount(row) >= Math.max(1, Math.min(this.#usualFill, this.#width) * 0.5)
    );
  }

  #firstFull(): number {
    return this.#rows.findIndex((row) => row.isBroken !== true && this.#isWide(row));
  }

  /** The header rows around the best one. */
  #block(index: number): { from: number; to: number } {
    let from = index;
    let to = index;
    while (to - from + 1 < MAX_HEADER_ROWS && this.#isNameRow(to + 1)) to++;
    while (to - from + 1 < MAX_HEADER_ROWS && this.#isGroupRow(from - 1, from, to)) from--;
    return { from, to };
  }

  /** Texts in the columns that hold values further down: units, a second language, more names. */
  #isNameRow(index: number): boolean {
    const row = this.#rows[index];
    if (row === undefined || row.isAfterBlank === true || row.isBroken === true || isRuleRow(row.cells)) return false;
    if (index + 1 >= this.#rows.length || filledCount(row) < 2) return filledCount(row) === 1 && this.#isUnit(index);
    const model = this.#model(index);
    return model.textShare(row) >= 0.6 && model.headerOdds(row) > 1;
  }

  /** A single unit over the only column of values. */
  #isUnit(index: number): boolean {
    const row = this.#rows[index] as SampleRow;
    const model = this.#model(index);
    const column = row.cells.findIndex((cell) => cell.trim() !== '');
    return (
      column > 0 && model.valueColumns.includes(column) && model.textShare(row) === 1 && index + 1 < this.#rows.length
    );
  }

  /** Group titles above the names: as wide as the header, with gaps where a group goes on, or full of names themselves. */
  #isGroupRow(index: number, below: number, last: number): boolean {
    const row = this.#rows[index];
    const header = this.#rows[below];
    if (row === undefined || header === undefined || header.isAfterBlank === true || row.isBroken === true)
      return false;
    if (Math.abs(row.cells.length - header.cells.length) > 1 || this.#width < 3) return false;
    const filled = row.cells.flatMap((cell, column) => (cell.trim() === '' ? [] : [column]));
    if (filled.length === 0 || filled.some((column) => (row.cells[column] ?? '').length > 60)) return false;
    const model = this.#model(below);
    if (filled.length >= this.#width * 0.8) return model.nameShare(row) >= 0.6 && model.headerOdds(row) > 1;
    // Two cells at the left and nothing behind them are a title, unless the names below need telling apart.
    const isAtLeft = filled.every((column, position) => column === position);
    const names = joinNames(this.#rows.slice(below, last + 1), false);
    const fillsGap = filled.some((column) => (names[column] ?? unnamedColumn(column)) === unnamedColumn(column));
    const needsGroup = hasTwins(names) || fillsGap;
    if (isAtLeft) return filled.length > 1 && needsGroup;
    return filled.length > 1 || needsGroup || isGroupName(row.cells[filled[0] as number] ?? '');
  }

  #layout(block: { from: number; to: number }, knownCount: number): HeaderLayout {
    const headers = this.#rows.slice(block.from, block.to + 1);
    let skippedRows = block.to + 1;
    while (this.#isNote(skippedRows)) skippedRows++;
    return { lines: headers.map(({ line }) => line), names: joinNames(headers, knownCount > 1), skippedRows };
  }

  /** A line of one cell right below the header, with data behind it. */
  #isNote(index: number): boolean {
    const row = this.#rows[index];
    if (row === undefined || index + 1 >= this.#rows.length || this.#width < 2 || row.isBroken === true) return false;
    if (isRuleRow(row.cells)) return true;
    const [note = '', ...others] = row.cells.filter((cell) => cell.trim() !== '');
    if (others.length > 0 || this.#usualFill < 2) return false;
    const isAtStart = (row.cells[0] ?? '').trim() !== '';
    return isAtStart && (this.#width > 2 || /^\s*[([*†]|^\s*notes?\b/i.test(note));
  }

  #none(index: number, best: Candidate | null): Decision<HeaderLayout> {
    const against = best?.clues ?? [];
    const clues = against.map(({ says, weight }) => ({ says, weight: -weight }));
    const layout = withoutHeader(index, this.#width);
    const rival =
      best === null
        ? null
        : { says: `line ${this.#rows[best.index]?.line} as the header`, certainty: 1 - weigh(clues).certainty };
    return weighed(layout, clues, rival, 'the first full row holds values like those below it');
  }
}

function rivalOf(candidate: Candidate | undefined, rows: readonly SampleRow[]): Rival | null {
  if (candidate === undefined || candidate.odds < -3) return null;
  return { says: `line ${rows[candidate.index]?.line} as the header`, certainty: weigh(candidate.clues).certainty };
}

function reasonOf({ clues, knownCount }: Candidate): string {
  if (knownCount > 1) return `${knownCount} of its cells are known column names`;
  const [strongest] = [...clues].sort((a, b) => b.weight - a.weight);
  return strongest?.says ?? 'it is the first full row';
}

function medianFill(rows: readonly SampleRow[], width: number): number {
  const fills = rows.filter((row) => row.cells.length >= width * 0.6 && filledCount(row) > 1).map(filledCount);
  return fills.sort((a, b) => a - b)[fills.length >> 1] ?? 1;
}

function keyOf({ cells }: SampleRow): string {
  return cells.join('\u001f');
}

/** A year or a word or two, alone above the names and not at their left: a group; a longer text is a title. */
function isGroupName(cell: string): boolean {
  const text = cell.trim();
  return text.length <= 20 && text.split(/\s+/).length <= 2;
}

function hasTwins(cells: readonly string[]): boolean {
  const names = cells.map((cell) => cell.trim().toLowerCase()).filter((cell) => cell !== '');
  return new Set(names).size < names.length;
}

function withoutHeader(index: number, width: number): HeaderLayout {
  return { lines: [], names: Array.from({ length: width }, (_, column) => unnamedColumn(column)), skippedRows: index };
}

// Finds the table inside the file: title lines above it, one header row, two, or none. The caller may know words that are
// headers (its field names and synonyms): a row with several of them is the header wherever it stands. Without such words the
// header is the first full row of texts above rows that hold numbers or dates.
import { type Decision, decided } from '../decision.ts';
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

export function detectHeader(
  rows: readonly SampleRow[],
  isKnownHeader: (name: string) => boolean,
): Decision<HeaderLayout> | null {
  const width = usualWidth(rows);
  if (width === 0) return null;
  return byKnownWords(rows, width, isKnownHeader) ?? byContrast(rows, width);
}

/** The names for a header that the user has pointed at. */
export function headerAt(rows: readonly SampleRow[], lines: readonly number[]): HeaderLayout | null {
  const indexes = lines.map((line) => rows.findIndex((row) => row.line === line));
  if (indexes.includes(-1)) return null;
  const headers = indexes.map((index) => rows[index]).filter((row) => row !== undefined);
  const last = Math.max(-1, ...indexes);
  if (headers.length === 0) return withoutHeader(0, usualWidth(rows));
  return { lines, names: joinNames(headers), skippedRows: last + 1 };
}

function byKnownWords(
  rows: readonly SampleRow[],
  width: number,
  isKnownHeader: (name: string) => boolean,
): Decision<HeaderLayout> | null {
  let best = -1;
  let bestCount = 1;
  rows.slice(0, SEARCH_ROWS).forEach((row, index) => {
    const known = row.cells.filter((cell) => cell.trim() !== '' && isKnownHeader(cell)).length;
    if (known > bestCount) [best, bestCount] = [index, known];
  });
  if (best === -1) return null;
  const found = withNeighbours(rows, best, width);
  return decided(found, 'exact', `${bestCount} of its cells are known column names`);
}

function byContrast(rows: readonly SampleRow[], width: number): Decision<HeaderLayout> | null {
  const index = rows.findIndex(
    (row) => row.cells.length >= width * 0.6 && filledCount(row) >= Math.max(1, width * 0.5),
  );
  const row = rows[index];
  if (row === undefined) return null;
  const filled = row.cells.filter((cell) => cell.trim() !== '');
  const hasValues = filled.some((cell) => isValueShape(shapeOf(cell)));
  if (hasValues) {
    const reason = 'the first full row holds values like those below it';
    return decided(withoutHeader(index, width), 'likely', reason);
  }
  const isDistinct = new Set(filled.map((cell) => cell.trim().toLowerCase())).size === filled.length;
  const layout = withNeighbours(rows, index, width);
  const below = valueColumns(rows, layout.skippedRows);
  if (below.length > 0) return decided(layout, 'likely', 'it is the first full row of texts, and values follow');
  const reason = isDistinct
    ? 'nothing tells it from the rows below; the first full row is taken'
    : 'some of its cells are equal';
  return decided(layout, 'guess', reason);
}

/** Adds the row above (group titles) or below (units, a second language) when it belongs to the header. */
function withNeighbours(rows: readonly SampleRow[], index: number, width: number): HeaderLayout {
  const header = rows[index] as SampleRow;
  const below = rows[index + 1];
  const values = valueColumns(rows, index + 2);
  if (below !== undefined && values.length > 0 && isHeaderToo(below, values)) {
    return { lines: [header.line, below.line], names: joinNames([header, below]), skippedRows: index + 2 };
  }
  const above = rows[index - 1];
  if (above !== undefined && isGroupRow(above, header, width)) {
    return { lines: [above.line, header.line], names: joinNames([above, header]), skippedRows: index + 1 };
  }
  return { lines: [header.line], names: joinNames([header]), skippedRows: index + 1 };
}

/** Columns in which nearly all rows from `from` on hold numbers or dates. */
function valueColumns(rows: readonly SampleRow[], from: number): number[] {
  const below = rows.slice(from, from + 40);
  const width = usualWidth(below);
  const columns: number[] = [];
  for (let column = 0; column < width; column++) {
    const shapes = below.map((row) => shapeOf(row.cells[column] ?? '')).filter((shape) => shape !== 'empty');
    const values = shapes.filter(isValueShape).length;
    if (values > 0 && values >= shapes.length * 0.8) columns.push(column);
  }
  return columns;
}

function isHeaderToo(row: SampleRow, valueColumnsBelow: readonly number[]): boolean {
  const texts = valueColumnsBelow.filter((column) => shapeOf(row.cells[column] ?? '') === 'text').length;
  return texts >= Math.max(1, valueColumnsBelow.length * 0.8);
}

function isGroupRow(above: SampleRow, header: SampleRow, width: number): boolean {
  const filled = above.cells.filter((cell) => cell.trim() !== '');
  return (
    above.cells.length === header.cells.length &&
    width > 2 &&
    filled.length >= 2 &&
    filled.length < filledCount(header) &&
    filled.every((cell) => shapeOf(cell) === 'text')
  );
}

/** The lower row names the column; the upper one is put before it where the lower is empty or names two columns alike. */
function joinNames(headers: readonly SampleRow[]): string[] {
  const lower = headers.at(-1)?.cells ?? [];
  const upper = headers.length > 1 ? filledForward(headers[0]?.cells ?? []) : [];
  const width = Math.max(lower.length, headers[0]?.cells.length ?? 0);
  const times = new Map<string, number>();
  for (const name of lower) times.set(name.trim(), (times.get(name.trim()) ?? 0) + 1);
  const names = Array.from({ length: width }, (_, column) => {
    const name = (lower[column] ?? '').trim();
    const group = (upper[column] ?? '').trim();
    const isTwin = (times.get(name) ?? 0) > 1;
    if (name === '') return (headers[0]?.cells[column] ?? '').trim();
    return isTwin && group !== '' ? `${group} ${name}` : name;
  });
  while (names.length > 0 && names.at(-1) === '') names.pop();
  return names.map((name, column) => name || `Column ${column + 1}`);
}

/** A group title stands over its first column only; the columns to the right belong to it as well. */
function filledForward(cells: readonly string[]): string[] {
  let last = '';
  return cells.map((cell) => {
    if (cell.trim() !== '') last = cell;
    return last;
  });
}

function withoutHeader(index: number, width: number): HeaderLayout {
  return { lines: [], names: Array.from({ length: width }, (_, column) => `Column ${column + 1}`), skippedRows: index };
}

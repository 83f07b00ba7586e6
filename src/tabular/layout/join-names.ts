// The names of columns from the rows of a header, one row or several.
import type { SampleRow } from './sample-row.ts';

/** What a name above it is measured in. */
const UNIT = /^(?:[([].*[)\]]|[€$£¥%#]|EUR|USD|GBP|CHF|JPY|CAD|AUD)$/;

/**
 * Rows are joined from top to bottom; a group title stands over its first column only, and the columns to its right belong to it as well.
 * `isComplete`: the last row names things the caller knows, so that a group is only put before names that occur twice.
 */
export function joinNames(headers: readonly SampleRow[], isComplete: boolean): string[] {
  const width = Math.max(0, ...headers.map((row) => row.cells.length));
  const levels = headers.map((row, index) =>
    index === headers.length - 1 ? [...row.cells] : filledForward(row, headers),
  );
  const lower = headers.at(-1)?.cells ?? [];
  const times = new Map<string, number>();
  for (const name of lower) times.set(name.trim(), (times.get(name.trim()) ?? 0) + 1);
  const names = Array.from({ length: width }, (_, column) => {
    const name = (lower[column] ?? '').trim();
    if (isComplete && name !== '' && (times.get(name) ?? 0) === 1 && !UNIT.test(name)) return name;
    const parts = levels
      .map((cells) => (cells[column] ?? '').trim().replace(/\s+/g, ' '))
      .filter((part) => part !== '');
    return parts.filter((part, index) => part !== parts[index - 1]).join(' ');
  });
  while (names.length > 0 && names.at(-1) === '') names.pop();
  return names.map((name, column) => name || unnamedColumn(column));
}

export function unnamedColumn(column: number): string {
  return `Column ${column + 1}`;
}

/** Not where the row below has nothing to be grouped: a name that stands over an empty cell is the column's own. */
function filledForward(row: SampleRow, headers: readonly SampleRow[]): string[] {
  const below = headers.slice(headers.indexOf(row) + 1);
  const width = Math.max(...headers.map(({ cells }) => cells.length));
  let last = '';
  return Array.from({ length: width }, (_, column) => {
    const cell = (row.cells[column] ?? '').trim();
    const hasName = below.some(({ cells }) => (cells[column] ?? '').trim() !== '');
    if (cell !== '') last = hasName ? cell : '';
    return cell !== '' ? cell : hasName ? last : '';
  });
}

// A row of the sample from which layout, styles and mappings are decided.

export interface SampleRow {
  readonly line: number;
  readonly cells: readonly string[];
  /** Its quotes could not be understood; the cells are what lies between delimiters. Good enough for names, not for data. */
  readonly isBroken?: boolean;
  /** A blank line stands above it. */
  readonly isAfterBlank?: boolean;
}

/** The usual number of columns, not counting those at the end that are always empty and not counting titles of one cell. */
export function usualWidth(rows: readonly SampleRow[]): number {
  const counts = new Map<number, number>();
  for (const row of rows) {
    if (filledCount(row) > 1) counts.set(row.cells.length, (counts.get(row.cells.length) ?? 0) + 1);
  }
  let width = 0;
  let most = 0;
  for (const [candidate, count] of counts) {
    if (count > most || (count === most && candidate > width)) [width, most] = [candidate, count];
  }
  const usual = width === 0 ? rows : rows.filter((row) => row.cells.length === width);
  return Math.max(0, ...usual.map(filledWidth));
}

/** Up to its last cell that holds anything. */
export function filledWidth(row: SampleRow): number {
  return row.cells.findLastIndex((cell) => cell.trim() !== '') + 1;
}

/** The rows that hold anything, each knowing whether a blank one came before it. */
export function withoutBlanks(rows: readonly SampleRow[]): SampleRow[] {
  return rows.flatMap((row, index) => {
    if (filledCount(row) === 0) return [];
    const before = rows[index - 1];
    return before !== undefined && filledCount(before) === 0 ? [{ ...row, isAfterBlank: true }] : [row];
  });
}

/** Rows of a sheet, which leaves out its blank ones: a number that was passed over is a blank row. */
export function withGaps(rows: readonly SampleRow[]): SampleRow[] {
  return rows.map((row, index) => {
    const before = rows[index - 1];
    return before !== undefined && row.line > before.line + 1 ? { ...row, isAfterBlank: true } : row;
  });
}

export function filledCount(row: SampleRow): number {
  let count = 0;
  for (const cell of row.cells) if (cell.trim() !== '') count += 1;
  return count;
}

// Tables that stand side by side: a column without a name and without a value parts two groups of columns. Read as one table, a row of
// the right one becomes a part of whatever row stands to its left, so that such a file raises a doubt.
import { unnamedColumn } from './join-names.ts';
import { filledCount, type SampleRow } from './sample-row.ts';

export interface SideTable {
  /** Its first column, counted from 0. */
  readonly fromColumn: number;
  readonly names: readonly string[];
  /** Rows with a value in it, as far as the sample shows. */
  readonly rows: number;
  /** What shows that it is a table of its own and not the rest of a table with a gap; empty where nothing does. */
  readonly proofs: readonly string[];
}

const MIN_NAMES = 2;

/** `rows`: those below the names. */
export function findSideTables(names: readonly string[], rows: readonly SampleRow[]): SideTable[] {
  const isGap = (column: number) =>
    names[column] === unnamedColumn(column) && rows.every(({ cells }) => (cells[column] ?? '').trim() === '');
  const tables: { from: number; to: number }[] = [];
  for (let column = 0; column < names.length; column++) {
    if (isGap(column)) continue;
    const last = tables.at(-1);
    if (last !== undefined && last.to === column) last.to++;
    else tables.push({ from: column, to: column + 1 });
  }
  const [left, ...right] = tables.filter(({ from, to }) => to - from >= MIN_NAMES);
  if (left === undefined || rows.length === 0) return [];
  const leftNames = names.slice(left.from, left.to);
  return right.map(({ from, to }) => {
    const own = names.slice(from, to);
    const filled = rows.filter((row) => filledIn(row, from, to) > 0);
    return {
      fromColumn: from,
      names: own,
      rows: filled.length,
      proofs: proofsOf(left, leftNames, { from, to }, own, rows),
    };
  });
}

function proofsOf(
  left: { readonly from: number; readonly to: number },
  leftNames: readonly string[],
  right: { readonly from: number; readonly to: number },
  rightNames: readonly string[],
  rows: readonly SampleRow[],
): string[] {
  const proofs: string[] = [];
  const known = new Set(leftNames.map(plain));
  const twins = rightNames.filter((name) => known.has(plain(name)));
  if (twins.length > 0)
    proofs.push(
      `both name ${twins
        .slice(0, 3)
        .map((name) => `"${name}"`)
        .join(', ')}`,
    );
  const alone = rows.filter((row) => {
    const [ofLeft, ofRight] = [filledIn(row, left.from, left.to), filledIn(row, right.from, right.to)];
    // A row with one value is a note or a total's label more often than a row.
    return (ofLeft === 0) !== (ofRight === 0) && Math.max(ofLeft, ofRight) >= MIN_NAMES;
  });
  if (alone.length > 0) proofs.push(`${alone.length} rows have values on one side only`);
  return proofs;
}

function filledIn(row: SampleRow, from: number, to: number): number {
  return filledCount({ ...row, cells: row.cells.slice(from, to) });
}

function plain(name: string): string {
  return name.trim().toLowerCase();
}

// The score of one file, 0 to 10: a table came out at all, and precision, recall and F1 of its names, its rows as wholes and its cells as a
// multiset, against what a person would have made of the file. What was refused counts as missing.
import type { MessyFile, Truth } from './document.ts';

export interface ReadResult {
  readonly names: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export interface Score {
  readonly total: number;
  readonly headerF1: number;
  readonly rowF1: number;
  readonly cellF1: number;
}

const nothing: Score = { total: 0, headerF1: 0, rowF1: 0, cellF1: 0 };
/** All of these say "no value"; which of them is stored is not what is measured. */
const markers = new Set(['\\n', 'null', '#n/a', '..', '-', '--', 'n.a.', 'n/a', 'na', 'nan', 'none']);

export function scoreOf(result: ReadResult | null, truth: Truth): Score {
  if (result === null) return nothing;
  const rows = compare(result.rows.map(rowKey), truth.rows.map(rowKey));
  const cells = compare(cellsOf(result.rows), cellsOf(truth.rows));
  const names = result.names.map(nameKey).filter((name) => name !== '');
  const header = truth.headers
    .map((expected) =>
      compare(
        names,
        expected.map(nameKey).filter((name) => name !== ''),
      ),
    )
    .reduce((best, each) => (each.f1 > best.f1 ? each : best));
  return {
    total: 1 + sum(header) + sum(rows) + sum(cells),
    headerF1: header.f1,
    rowF1: rows.f1,
    cellF1: cells.f1,
  };
}

interface Agreement {
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
}

const sum = ({ precision, recall, f1 }: Agreement) => precision + recall + f1;

function compare(found: readonly string[], expected: readonly string[]): Agreement {
  if (found.length === 0 && expected.length === 0) return { precision: 1, recall: 1, f1: 1 };
  const left = new Map<string, number>();
  for (const value of expected) left.set(value, (left.get(value) ?? 0) + 1);
  let hits = 0;
  for (const value of found) {
    const count = left.get(value) ?? 0;
    if (count === 0) continue;
    hits++;
    left.set(value, count - 1);
  }
  const precision = found.length === 0 ? 0 : hits / found.length;
  const recall = expected.length === 0 ? 0 : hits / expected.length;
  return { precision, recall, f1: hits === 0 ? 0 : (2 * precision * recall) / (precision + recall) };
}

/** A column that we had to name ourselves has no name in the file. */
function nameKey(name: string): string {
  const plain = name.trim().replace(/\s+/g, ' ');
  return /^(?:column ?\d+|_\d+)$/i.test(plain) ? '' : plain;
}

function cellKey(cell: string): string {
  const plain = cell.replaceAll('\r\n', '\n').trim();
  return markers.has(plain.toLowerCase()) ? '' : plain;
}

function rowKey(row: readonly string[]): string {
  const cells = row.map(cellKey);
  while (cells.length > 0 && cells.at(-1) === '') cells.pop();
  return cells.join('\u001f');
}

function cellsOf(rows: readonly (readonly string[])[]): string[] {
  return rows.flatMap((row) => row.map(cellKey).filter((cell) => cell !== ''));
}

export interface Scored {
  readonly file: MessyFile;
  readonly score: Score;
  readonly problem: string | null;
}

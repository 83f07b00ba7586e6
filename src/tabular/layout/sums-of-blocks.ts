// Subtotals in a plain list: a row that adds up the rows right above it (or below it), as spreadsheets write them, and a grand total of them all.
import type { SampleRow } from './sample-row.ts';
import type { Measures } from './sums-of-rows.ts';
import { toleranceOf } from './sums-of-rows.ts';
import type { TableSoRead, TotalsAmong } from './table-so-read.ts';

/** Digits that agree: beside a label, and where a row names nothing. */
const LIKELY_DIGITS = 1;
const SURE_DIGITS = 2.5;

interface Candidate {
  readonly index: number;
  /** The column of its label; null where it names nothing at all. */
  readonly column: number | null;
}

export function blockSums(
  { rows, labels, columns }: TableSoRead,
  telling: readonly number[],
  measures: Measures,
): TotalsAmong[] {
  const usual = telling.filter((column) => (columns[column]?.fillRate ?? 0) >= 0.5 && columns[column]?.kind !== 'date');
  const candidates = rows.flatMap((row, index): Candidate[] => {
    const column = telling.find((each) => labels.namesGroup((row.cells[each] ?? '').trim()));
    if (column !== undefined) return [{ index, column }];
    const [first] = usual;
    const isNameless = first !== undefined && (row.cells[first] ?? '').trim() === '';
    return isNameless ? [{ index, column: null }] : [];
  });
  const proven = candidates.map((candidate, at) => ({
    candidate,
    digits: digitsOf(candidates, at, rows.length, measures),
  }));
  const named = proven.filter(({ candidate, digits }) => candidate.column !== null && digits > 0);
  const nameless = proven.filter(({ candidate, digits }) => candidate.column === null && digits > 0);
  const digits = nameless.reduce((sum, each) => sum + each.digits, 0);
  // Among many rows without a name one is the sum of others by chance.
  const isMost = nameless.length * 2 > candidates.filter(({ column }) => column === null).length;
  const sure = isMost && digits >= SURE_DIGITS ? nameless : [];
  const likely = named.reduce((sum, each) => sum + each.digits, 0) >= LIKELY_DIGITS ? named : [];
  const findings = new Map<number, number[]>();
  for (const { candidate } of [...likely, ...sure]) {
    const column = candidate.column ?? (usual[0] as number);
    findings.set(column, [...(findings.get(column) ?? []), candidate.index]);
  }
  return [...findings].map(([column, indexes]) => {
    const of = indexes.map((index) => rows[index] as SampleRow);
    const values = [...new Set(of.map(({ cells }) => (cells[column] ?? '').trim()))];
    const rest = candidates.filter(({ index, column: at }) => at === column && !indexes.includes(index));
    // A group of one row has a subtotal that proves nothing, and is one all the same.
    const isAll = rest.every(({ index }) => isSameAsAbove(index, measures));
    const hasNames = of.some(({ cells }) => (cells[column] ?? '').trim() !== '');
    const told = new Set(indexes);
    const isTold = rows.every(({ cells }, index) => told.has(index) || !values.includes((cells[column] ?? '').trim()));
    const shown = values.slice(0, 3).map((value) => (value === '' ? 'nothing' : `"${value}"`));
    const says = `${of.length === 1 ? 'a row' : `${of.length} rows`} with ${shown.join(', ')} under "${columns[column]?.name}" add up the rows beside them`;
    return { column, values, labels: hasNames && isAll, rows: of, says, isTold };
  });
}

/** How many digits agree with the best of the sums that it may be; 0 where none does in most of its measures. */
function digitsOf(candidates: readonly Candidate[], at: number, rowCount: number, measures: Measures): number {
  const { index } = candidates[at] as Candidate;
  const isCandidate = new Set(candidates.map((candidate) => candidate.index));
  const before = candidates[at - 1]?.index ?? -1;
  const after = candidates[at + 1]?.index ?? rowCount;
  const between = (from: number, to: number) => Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);
  const above = between(before + 1, index);
  const below = between(index + 1, after);
  const all = between(0, rowCount).filter((row) => !isCandidate.has(row));
  const earlier = candidates.slice(0, at).map((candidate) => candidate.index);
  return Math.max(
    ...[above, below, all.filter((row) => row < index), all, earlier].map((parts) => agreeing(index, parts, measures)),
  );
}

function agreeing(index: number, parts: readonly number[], { values, units }: Measures): number {
  const own = values[index] ?? [];
  let digits = 0;
  let agree = 0;
  let measured = 0;
  for (const [measure, unit] of units.entries()) {
    const total = own[measure] ?? null;
    const terms = parts.flatMap((row) => values[row]?.[measure] ?? []);
    if (total === null || total === 0 || terms.filter((term) => term !== 0).length < 2) continue;
    measured++;
    const sum = terms.reduce((all, term) => all + term, 0);
    if (Math.abs(sum - total) > toleranceOf(total, terms.length + 1, unit)) continue;
    agree++;
    digits += Math.log10(Math.max(1.1, Math.abs(total) / unit));
  }
  return agree > 0 && agree * 2 >= measured ? digits : 0;
}

function isSameAsAbove(index: number, { values }: Measures): boolean {
  const above = values[index - 1] ?? [];
  const own = values[index] ?? [];
  return above.length > 0 && own.every((value, measure) => value === above[measure]);
}

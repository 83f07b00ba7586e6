// Rows of totals among the rows that they add up: "All devices" beside its devices, "North subtotal" below its cities. Stored like the others they
// count twice. A label alone proves nothing ("Total Wine" is a shop, "All Star" a campaign): the sums must agree. Without a label they must agree
// so far that no chance does it.
import type { SampleRow } from './sample-row.ts';
import { blockSums } from './sums-of-blocks.ts';
import { type Measures, measuresOf, type Proof, ProofOfSums } from './sums-of-rows.ts';
import type { TableSoRead, TotalsAmong } from './table-so-read.ts';
import { saysAll } from './total-words.ts';

const MAX_PATTERNS = 8;
/** Columns with more different values than this name things and part nothing. */
const MAX_PARTS = 60;

export function findTotalsAmong(table: TableSoRead): TotalsAmong[] {
  const telling = tellingColumns(table);
  const measures = measuresOf(table.rows, table.columns, table.style, telling);
  if (measures.columns.length === 0 || table.rows.length < 3) return [];
  const found = [
    ...totalsByLabel(table, telling, measures),
    ...totalsByValue(table, telling, measures),
    ...blockSums(table, telling, measures),
  ];
  return merged(found);
}

function tellingColumns({ columns, roles }: TableSoRead): number[] {
  const known = new Set([...(roles?.telling ?? []), ...(roles?.segments ?? [])]);
  return columns
    .filter(({ kind, index }) => known.has(index) || kind === 'text' || kind === 'id' || kind === 'date')
    .map(({ index }) => index);
}

/** Rows with a label of totals, or nothing, in columns where the rows with the same other texts have values. */
function totalsByLabel(table: TableSoRead, telling: readonly number[], measures: Measures): TotalsAmong[] {
  const { rows, labels, roles } = table;
  const isTotal = (text: string) => labels.matches(text) || saysAll(text);
  const patterns = new Map<string, number[]>();
  const patternOf = rows.map((row) => {
    const empty = telling.filter((column) => {
      const text = textOf(row, column);
      return text === '' || isTotal(text);
    });
    return empty.length === telling.length ? '' : empty.join(',');
  });
  for (const [index, pattern] of patternOf.entries())
    if (pattern !== '') patterns.set(pattern, [...(patterns.get(pattern) ?? []), index]);
  const plain = rows.flatMap((_, index) => (patternOf[index] === '' ? [index] : []));
  const frequent = [...patterns].sort((a, b) => b[1].length - a[1].length).slice(0, MAX_PATTERNS);
  return frequent.flatMap(([pattern, totals]) => {
    const open = pattern.split(',').map(Number);
    const keys = telling.filter((column) => !open.includes(column));
    const proof = proofOf(totals, plain, (index) => keyOf(rows[index] as SampleRow, keys), measures);
    const labelled = open.filter((column) => totals.some((index) => textOf(rows[index] as SampleRow, column) !== ''));
    const isSegment = labelled.some((column) => roles?.segments.includes(column));
    const isProven = labelled.length > 0 ? proof.isLikely || (isSegment && proof.isLarger) : proof.isSure;
    if (!isProven) return [];
    const column = labelled[0] ?? (open[0] as number);
    return [describe(table, column, totals, proof)];
  });
}

/** A value whose rows are the sum of the others, whatever it is called. */
function totalsByValue(table: TableSoRead, telling: readonly number[], measures: Measures): TotalsAmong[] {
  const { rows, labels, columns } = table;
  return telling.flatMap((column) => {
    // A day is no sum of others.
    if (columns[column]?.kind === 'date') return [];
    const byValue = new Map<string, number[]>();
    for (const [index, row] of rows.entries()) {
      const text = textOf(row, column);
      byValue.set(text, [...(byValue.get(text) ?? []), index]);
      if (byValue.size > MAX_PARTS) return [];
    }
    if (byValue.size < 3) return [];
    const keys = telling.filter((other) => other !== column);
    const keyOfRow = rows.map((row) => keyOf(row, keys));
    for (const [value, totals] of byValue) {
      if (value === '' || labels.matches(value) || saysAll(value)) continue;
      const others = rows.flatMap((row, index) => (textOf(row, column) === value ? [] : [index]));
      const proof = proofOf(totals, others, (index) => keyOfRow[index] as string, measures);
      if (proof.isSure) return [describe(table, column, totals, proof)];
    }
    return [];
  });
}

function proofOf(
  totals: readonly number[],
  parts: readonly number[],
  keyOfRow: (index: number) => string,
  measures: Measures,
): Proof {
  const groups = new Map<string, { totals: number[]; parts: number[] }>();
  for (const index of totals) {
    const key = keyOfRow(index);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { totals: [index], parts: [] });
    else group.totals.push(index);
  }
  for (const index of parts) groups.get(keyOfRow(index))?.parts.push(index);
  const proof = new ProofOfSums(measures);
  for (const group of groups.values()) proof.add(group.totals, group.parts);
  return proof.result;
}

function describe(
  { rows, columns }: TableSoRead,
  column: number,
  totals: readonly number[],
  proof: Proof,
): TotalsAmong {
  const of = totals.map((index) => rows[index] as SampleRow);
  const values = [...new Set(of.map((row) => textOf(row, column)))];
  const told = new Set(totals);
  const isTold = rows.every((row, index) => told.has(index) || !values.includes(textOf(row, column)));
  const shown = values.slice(0, 3).map((value) => (value === '' ? 'nothing' : `"${value}"`));
  const name = columns[column]?.name ?? `column ${column + 1}`;
  const says = `${of.length === 1 ? 'a row' : `${of.length} rows`} with ${shown.join(', ')} under "${name}" ${proof.says}`;
  return { column, values, labels: false, rows: of, says, isTold };
}

/** One finding per column; what is found in two ways is told once. */
function merged(found: readonly TotalsAmong[]): TotalsAmong[] {
  const seen = new Set<number>();
  const byColumn = new Map<number, TotalsAmong>();
  for (const each of found) {
    const rows = each.rows.filter(({ line }) => !seen.has(line));
    for (const { line } of rows) seen.add(line);
    const before = byColumn.get(each.column);
    if (before === undefined) {
      if (rows.length > 0) byColumn.set(each.column, { ...each, rows });
      continue;
    }
    byColumn.set(each.column, {
      ...before,
      values: [...new Set([...before.values, ...each.values])],
      labels: before.labels || each.labels,
      rows: [...before.rows, ...rows],
      isTold: before.isTold && each.isTold,
    });
  }
  return [...byColumn.values()];
}

function keyOf(row: SampleRow, columns: readonly number[]): string {
  return columns.map((column) => textOf(row, column)).join('\u001f');
}

function textOf({ cells }: SampleRow, column: number): string {
  return (cells[column] ?? '').trim();
}

// What a file's way through Millrace looks like in words: how it was read, what was refused, where its rows went.
import { z } from 'zod';
import type { AnswerOf } from '../../contract/api/client.ts';
import { formatCount, plural } from '../output.ts';
import { describeReceipt, type RunDetail } from '../runs/print-run.ts';

type Reading = AnswerOf<'uploads.reading'>;
type Clusters = AnswerOf<'rejects.clusters'>['data'];
type Receipt = NonNullable<RunDetail['receipt']>;

const delimiterNames: Readonly<Record<string, string>> = { ',': 'comma', ';': 'semicolon', '\t': 'tab', '|': 'bar' };
const setAsideNames = {
  preamble: 'preamble line',
  title: 'title line',
  total: 'total row',
  footer: 'footer line',
} as const;

const storedOutcomes: ReadonlySet<string> = new Set(['inserted', 'updated', 'unchanged', 'merged']);
const dimensionCounts = z.record(z.string(), z.int());

/** "50,112 rows · utf-16le → utf-8 · tab · 2 preamble lines and 1 total row set aside". */
export function describeReading(reading: Reading | undefined, rows: number | undefined): string {
  const encoding = reading?.encoding.value ?? undefined;
  const delimiter = reading?.delimiter.value ?? undefined;
  const parts = [
    rows === undefined ? undefined : plural(rows, 'row'),
    encoding === undefined || encoding === 'utf-8' ? encoding : `${encoding} → utf-8`,
    delimiter === undefined ? reading?.format.value : (delimiterNames[delimiter] ?? delimiter),
    reading === undefined ? undefined : describeSetAside(reading),
  ];
  return parts.filter((part) => part !== undefined).join(' · ');
}

/** "49,890 valid · 222 rejected in 3 groups (99.56 % ≥ 90 %)"; `gate`: how many of a hundred must be valid, where the pipeline says. */
export function describeRejects(clusters: Clusters, read: number | undefined, gate?: number): string {
  const rejected = clusters.reduce((sum, cluster) => sum + cluster.count, 0);
  if (rejected === 0) return read === undefined ? 'nothing rejected' : `${formatCount(read)} valid`;
  const groups = `${formatCount(rejected)} rejected in ${plural(clusters.length, 'group')}`;
  if (read === undefined || read === 0) return groups;
  const valid = read - rejected;
  return `${formatCount(valid)} valid · ${groups} (${describeShare(valid, read, gate)})`;
}

function describeShare(valid: number, read: number, gate: number | undefined): string {
  const rounded = ((valid / read) * 100).toFixed(2);
  if (gate === undefined) return `${rounded} %`;
  if (isThroughGate(valid, read, gate)) return `${rounded} % ≥ ${gate} %`;
  // 89.999 % must not look like 90.
  const below = Number(rounded) >= gate ? (gate - 0.01).toFixed(2) : rounded;
  return `${below} % < ${gate} %`;
}

/** In integers, as the gate itself judges. */
export function isThroughGate(valid: number, read: number, percent: number): boolean {
  return valid * 100 >= read * percent;
}

/** The sum of the receipt, and the control total of the money with what was stored of it. */
export function describeSums(receipt: Receipt): string {
  const spend = receipt.totals?.spend;
  if (spend === undefined) return describeReceipt(receipt);
  const amounts = Object.entries(spend.outcomes);
  const stored = amounts.filter(([name]) => storedOutcomes.has(name)).map(([, amount]) => amount);
  const rest = amounts
    .filter(([name, amount]) => !storedOutcomes.has(name) && amount !== '0')
    .map(([name, amount]) => ` + ${name} ${formatDecimal(amount)}`)
    .sort();
  const file = formatDecimal(spend.file);
  const sum = `spend file ${file} = stored ${formatDecimal(addDecimals(stored))}${rest.join('')}`;
  const missing = (receipt.not_told ?? []).join(', ');
  const notTold = missing === '' ? '' : `   not in the file: ${missing}`;
  return `${describeReceipt(receipt)}   ${sum}${describeTotalRow(spend)}${notTold}`;
}

/** What the file's own first total row says of its sum, when it has one. */
function describeTotalRow({ file, declared }: NonNullable<Receipt['totals']>[string]): string {
  if (declared == null) return '';
  const agrees = addDecimals([declared, negated(file)]).replace(/[.0]/g, '') === '';
  return agrees ? ' = its total row' : `   its total row says ${formatDecimal(declared)}: rows may be missing`;
}

function negated(amount: string): string {
  return amount.startsWith('-') ? amount.slice(1) : `-${amount}`;
}

/** "campaigns 41 · ad_sets 212 · ads 1,904", where a pipeline counts what it touched. */
export function describeDimensions(receipt: Receipt | null): string | undefined {
  const counts = dimensionCounts.safeParse(receipt?.dimensions);
  if (!counts.success) return undefined;
  const parts = Object.entries(counts.data)
    .filter(([, count]) => count > 0)
    .sort(([, a], [, b]) => a - b)
    .map(([name, count]) => `${name}s ${formatCount(count)}`);
  return parts.length === 0 ? undefined : parts.join(' · ');
}

/** "18,204.11": every digit stays. */
export function formatDecimal(amount: string): string {
  const [whole = '0', fraction] = amount.split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** Exact, however many digits: the sum of decimals written as text. */
export function addDecimals(amounts: readonly string[]): string {
  const places = Math.max(0, ...amounts.map((amount) => (amount.split('.')[1] ?? '').length));
  const total = amounts.reduce((sum, amount) => sum + scaled(amount, places), 0n);
  if (places === 0) return String(total);
  const digits = String(total < 0n ? -total : total).padStart(places + 1, '0');
  return `${total < 0n ? '-' : ''}${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

function scaled(amount: string, places: number): bigint {
  const [whole = '0', fraction = ''] = amount.split('.');
  return BigInt(whole + fraction.padEnd(places, '0'));
}

function describeSetAside({ furniture }: Reading): string | undefined {
  const named = Object.entries(setAsideNames).map(([kind, name]) => {
    const count = furniture.filter((line) => line.kind === kind && !line.put_back).length;
    return count === 0 ? undefined : plural(count, name);
  });
  const shown = named.filter((part) => part !== undefined);
  return shown.length === 0 ? undefined : `${shown.join(' and ')} set aside`;
}

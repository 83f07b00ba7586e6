// The receipt of an upload: where every line went, and that spend, impressions and clicks went with them.
import type { Receipt } from '../../engine/receipt.ts';
import {
  type ControlMeasure,
  ControlTotals,
  controlMeasures,
  decimalsOf,
  noSums,
  type Sums,
} from './control-totals.ts';
import { type Bucket, emptyBucket, type ParseCounts } from './parse-counts.ts';

/** Where promotion puts a line. `merged` counts the lines that were added to another one. */
export const promotionOutcomes = ['inserted', 'updated', 'unchanged', 'merged', 'stale', 'rejected'] as const;
export type PromotionOutcome = (typeof promotionOutcomes)[number];
export type PromotionBuckets = Readonly<Partial<Record<PromotionOutcome, Bucket>>>;

const outcomeOrder = [
  'inserted',
  'updated',
  'unchanged',
  'merged',
  'superseded',
  'stale',
  'held_back',
  'rejected',
] as const;

export function addToBucket(bucket: Bucket | undefined, more: Bucket): Bucket {
  const { rows, sums } = bucket ?? emptyBucket;
  const totals = new ControlTotals(sums);
  totals.addSums(more.sums);
  return { rows: rows + more.rows, sums: totals.toJSON() };
}

/** The buckets of both stages together. */
export function allBuckets(counts: ParseCounts, promoted: PromotionBuckets): Record<string, Bucket> {
  return {
    ...promoted,
    superseded: counts.superseded,
    rejected: addToBucket(counts.rejected, promoted.rejected ?? emptyBucket),
  };
}

/** Lines whose numbers are in the tables now. */
export function promotedRows(buckets: Readonly<Record<string, Bucket>>): number {
  const rowsOf = (name: string) => buckets[name]?.rows ?? 0;
  return rowsOf('inserted') + rowsOf('updated') + rowsOf('unchanged') + rowsOf('merged') + rowsOf('superseded');
}

export function receiptOf(
  counts: ParseCounts,
  buckets: Readonly<Record<string, Bucket>>,
  details: Readonly<Record<string, unknown>> = {},
): Receipt {
  const filled = outcomeOrder.filter((name) => (buckets[name]?.rows ?? 0) > 0);
  const outcomes = Object.fromEntries(filled.map((name) => [name, buckets[name]?.rows ?? 0]));
  return {
    read: counts.read,
    outcomes,
    furniture: counts.furniture,
    ...(counts.content === undefined ? {} : { content: counts.content }),
    totals: Object.fromEntries(measuresIn(counts).map((measure) => [measure, totalOf(measure, counts, buckets)])),
    ...notTold(counts),
    ...(hasSome(counts.doubts) ? { doubts: counts.doubts } : {}),
    ...(counts.in_doubt === undefined ? {} : { in_doubt: counts.in_doubt }),
    warnings: { ...counts.warnings, ...totalWarning(counts) },
    ...details,
  };
}

/** A measure that no row tells is unknown, and its sum no zero. A total row alone may tell it. */
function measuresIn({ told, declared }: ParseCounts): readonly ControlMeasure[] {
  if (told === undefined) return controlMeasures;
  return controlMeasures.filter((measure) => told.includes(measure) || declared?.[measure] !== undefined);
}

function notTold({ told }: ParseCounts): { readonly not_told?: readonly ControlMeasure[] } {
  const missing = told === undefined ? [] : controlMeasures.filter((measure) => !told.includes(measure));
  return missing.length === 0 ? {} : { not_told: missing };
}

function hasSome(counts: Readonly<Record<string, number>> | undefined): boolean {
  return counts !== undefined && Object.keys(counts).length > 0;
}

/** The file's own total row says something else than its rows: rows may be missing from the export, or unreadable. */
function totalWarning(counts: ParseCounts): Record<string, number> {
  const differing = controlMeasures.filter((measure) => {
    const declared = counts.declared?.[measure];
    return declared !== undefined && !agrees(measure, declared, counts);
  });
  return differing.length === 0 ? {} : { total_row_differs: differing.length };
}

/**
 * Whether the file's total is that of its rows. Rows are rounded one by one and the total once, so they may differ by half of the total's
 * last digit for every row. Counts are not rounded.
 */
function agrees(
  measure: ControlMeasure,
  declared: string,
  { file, read }: Pick<ParseCounts, 'file' | 'read'>,
): boolean {
  if (measure !== 'spend' || declared === file[measure]) return declared === file[measure];
  const decimals = Math.min(2, Math.max(decimalsOf(declared), decimalsOf(file[measure])));
  const tolerance = (read + 1) * 0.5 * 10 ** -decimals;
  return Math.abs(Number(declared) - Number(file[measure])) <= tolerance;
}

/** Of an upload that the gate stopped: its valid rows are held back, and they and their money are accounted for as such. */
export function gateBuckets(counts: ParseCounts, valid: Bucket): Record<string, Bucket> {
  return { held_back: addToBucket(undefined, valid), rejected: counts.rejected };
}

/** True when what the buckets hold is what the file held. A difference means that Millrace lost or invented money. */
export function totalsAgree(counts: ParseCounts, buckets: Readonly<Record<string, Bucket>>): boolean {
  const sum = sumOf(buckets);
  return controlMeasures.every((measure) => sum[measure] === counts.file[measure]);
}

function totalOf(
  measure: (typeof controlMeasures)[number],
  counts: ParseCounts,
  buckets: Readonly<Record<string, Bucket>>,
) {
  const filled = Object.entries(buckets).filter(([, bucket]) => bucket.rows > 0);
  const declared = counts.declared?.[measure];
  return {
    file: counts.file[measure],
    outcomes: Object.fromEntries(filled.map(([name, bucket]) => [name, bucket.sums[measure]])),
    ...(declared === undefined ? {} : { declared, declared_agrees: agrees(measure, declared, counts) }),
  };
}

function sumOf(buckets: Readonly<Record<string, Bucket>>): Sums {
  const totals = new ControlTotals(noSums);
  for (const bucket of Object.values(buckets)) totals.addSums(bucket.sums);
  return totals.toJSON();
}

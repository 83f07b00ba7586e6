// The receipt of a run: what was read and where each item went. It must add up before a run may be done.

export interface Receipt {
  /** Items the reader saw. Never derived by subtraction. */
  readonly read: number;
  /** Where they went: inserted, updated, unchanged, merged, superseded, stale, rejected, … Their sum is `read`. */
  readonly outcomes?: Readonly<Record<string, number>>;
  /** Lines that are no items: titles, headers, totals, blank lines. */
  readonly furniture?: number;
  /** Control totals by measure, e.g. spend: what the file says, and where it went. */
  readonly totals?: Readonly<Record<string, ControlTotal>>;
  /** Whatever else a pipeline wants to say. */
  readonly [detail: string]: unknown;
}

/** Decimal text. */
export interface ControlTotal {
  readonly file: string;
  readonly outcomes: Readonly<Record<string, string>>;
}

/** For stages that have no items of their own. */
export const emptyReceipt: Receipt = { read: 0 };

export function accountedFor(receipt: Receipt): number {
  return Object.values(receipt.outcomes ?? {}).reduce((sum, count) => sum + count, 0);
}

export function isBalanced(receipt: Receipt): boolean {
  return receipt.read === accountedFor(receipt);
}

/** The outcomes on which two receipts differ, as plain sentences; empty when they agree. */
export function differences(written: Receipt, recounted: Receipt): string[] {
  const found: string[] = [];
  if (written.read !== recounted.read) found.push(`read: receipt ${written.read}, recount ${recounted.read}`);
  const names = new Set([...Object.keys(written.outcomes ?? {}), ...Object.keys(recounted.outcomes ?? {})]);
  for (const name of [...names].sort()) {
    const before = written.outcomes?.[name] ?? 0;
    const after = recounted.outcomes?.[name] ?? 0;
    if (before !== after) found.push(`${name}: receipt ${before}, recount ${after}`);
  }
  for (const [measure, total] of Object.entries(recounted.totals ?? {}))
    found.push(...totalDifferences(measure, written.totals?.[measure], total));
  return found;
}

function totalDifferences(measure: string, written: ControlTotal | undefined, recounted: ControlTotal): string[] {
  if (written === undefined) return [];
  const found: string[] = [];
  if (written.file !== recounted.file)
    found.push(`${measure} of the file: receipt ${written.file}, recount ${recounted.file}`);
  const names = new Set([...Object.keys(written.outcomes), ...Object.keys(recounted.outcomes)]);
  for (const name of [...names].sort()) {
    const before = written.outcomes[name] ?? '0';
    const after = recounted.outcomes[name] ?? '0';
    if (before !== after) found.push(`${measure} ${name}: receipt ${before}, recount ${after}`);
  }
  return found;
}

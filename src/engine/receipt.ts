// The receipt of a run: what was read and where each item went. It must add up before a run may be done.

export interface Receipt {
  /** Items the reader saw. Never derived by subtraction. */
  readonly read: number;
  /** Where they went: inserted, updated, unchanged, merged, superseded, stale, rejected, … Their sum is `read`. */
  readonly outcomes?: Readonly<Record<string, number>>;
  /** Lines that are no items: titles, headers, totals, blank lines. */
  readonly furniture?: number;
  /** Control totals and whatever else a pipeline wants to prove, e.g. spend of the file against spend stored. */
  readonly [detail: string]: unknown;
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
  return found;
}

// The receipt of a run: what was read and where each item went. It must add up before a run may be done.

export interface Receipt {
  /** Items the reader saw. Never derived by subtraction. */
  readonly read: number;
  /** Where they went: inserted, updated, unchanged, merged, superseded, stale, rejected, … Their sum is `read`. */
  readonly outcomes?: Readonly<Record<string, number>>;
  /** Lines that are no items: titles, headers, totals, blank lines. */
  readonly furniture?: number;
  /** What the file consists of. */
  readonly content?: Content;
  /** Control totals by measure, e.g. spend: what the file says, and where it went. */
  readonly totals?: Readonly<Record<string, ControlTotal>>;
  /** Of a recount: other figures of the receipt, by their name there, counted again. */
  readonly counts?: Readonly<Record<string, number>>;
  /** Whatever else a pipeline wants to say. */
  readonly [detail: string]: unknown;
}

/**
 * By unit (bytes; of a workbook also cells and parts): how much of the file is header, row, a set-aside line by its reason, structure.
 * `all` is measured by itself and must be the sum of the others; `all` of bytes is the size of the file.
 */
export type Content = Readonly<Record<string, Readonly<Record<string, number>>>>;

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
  return receipt.read === accountedFor(receipt) && faultsOfContent(receipt.content).length === 0;
}

/** Where the tallies of a file do not add up, as plain sentences. */
export function faultsOfContent(content: Content = {}): string[] {
  return Object.entries(content).flatMap(([unit, { all = 0, ...parts }]) => {
    const sum = Object.values(parts).reduce((total, amount) => total + amount, 0);
    return sum === all && Object.values(parts).every((amount) => amount >= 0)
      ? []
      : [`${sum} of ${all} ${unit} of the file`];
  });
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
  for (const [name, count] of Object.entries(recounted.counts ?? {}))
    if (written[name] !== count) found.push(`${name}: receipt ${String(written[name])}, recount ${count}`);
  for (const [measure, total] of Object.entries(recounted.totals ?? {}))
    found.push(
      ...totalDifferences(
        measure,
        written.totals === undefined ? undefined : (written.totals[measure] ?? nothingOf),
        total,
      ),
    );
  // A reading that began before contents were counted has none.
  if (written.content !== undefined) found.push(...contentDifferences(written.content, recounted.content ?? {}));
  return found;
}

function contentDifferences(written: Content, recounted: Content): string[] {
  return [...new Set([...Object.keys(written), ...Object.keys(recounted)])].sort().flatMap((unit) => {
    const [before = {}, after = {}] = [written[unit], recounted[unit]];
    return [...new Set([...Object.keys(before), ...Object.keys(after)])]
      .sort()
      .filter((name) => (before[name] ?? 0) !== (after[name] ?? 0))
      .map((name) => `${unit} of ${name}: receipt ${before[name] ?? 0}, recount ${after[name] ?? 0}`);
  });
}

/** A measure that the file does not tell stands on no receipt. */
const nothingOf: ControlTotal = { file: '0', outcomes: {} };

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

// What the log says of a slice: how many items ended how, and which of them are tried again, why and when at the earliest. Ids and numbers only.
import type { Log } from '../../../platform/log.ts';

/** Of one reason: how many items, and the shortest wait. */
export interface Retried {
  readonly items: number;
  readonly afterMs: number;
}

export function logSlice(
  { runId: run, log }: { readonly runId: string; readonly log: Log },
  job: string,
  slice: {
    readonly items: number;
    readonly ms: number;
    readonly outcomes: Readonly<Record<string, number>>;
    readonly retries: Readonly<Record<string, Retried>>;
  },
): void {
  const { items, ms, retries } = slice;
  const outcomes = Object.fromEntries(
    Object.entries(slice.outcomes).map(([outcome, count]) => [outcome.toLowerCase(), count]),
  );
  log.debug({ run, job, items, outcomes, ms: Math.round(ms) }, 'items.slice');
  const reasons = Object.entries(retries);
  if (reasons.length === 0) return;
  const retriedItems = Object.fromEntries(reasons.map(([reason, { items: count }]) => [reason, count]));
  const retryAfterMs = Object.fromEntries(reasons.map(([reason, { afterMs }]) => [reason, Math.round(afterMs)]));
  log.info({ run, job, retried_items: retriedItems, retry_after_ms: retryAfterMs }, 'items.retries');
}

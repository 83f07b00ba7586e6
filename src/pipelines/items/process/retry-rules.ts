// From what a processor said to what becomes of the item: its status, when it is tried again, and with which strategy.
import { pauseMs } from '../../../engine/retry-policy.ts';
import type { Outcome, RetryKind } from '../processors/processor.ts';
import type { ClaimedItem } from '../sql/claim-items.ts';
import type { ItemResult } from '../sql/write-results.ts';

const HOUR_MS = 3_600_000;
/** Before the second, third and every further look for an item that was not found. */
const NOT_FOUND_AFTER_MS = [HOUR_MS, 6 * HOUR_MS, 24 * HOUR_MS] as const;
const NOT_FOUND_JITTER = 0.05;
const TOLD_JITTER = 0.1;

const backoffs = {
  transient: { baseMs: 2_000, factor: 2, maxMs: 300_000, jitter: 0.25 },
  timeout: { baseMs: 5_000, factor: 2, maxMs: 600_000, jitter: 0.25 },
  rate_limited: { baseMs: 10_000, factor: 2, maxMs: 900_000, jitter: 0.25 },
} as const satisfies Record<RetryKind, unknown>;

export interface RetryBounds {
  readonly maxAttemptsError: number;
  readonly maxAttemptsNotFound: number;
  readonly maxAttemptsRateLimited: number;
  /** Pauses are so many times longer while many items fail. */
  readonly spacing: number;
}

/** The next one after every look that found nothing; the last one stays. */
export function strategyOf(strategies: readonly [string, ...string[]], notFounds: number): string {
  return strategies[Math.min(notFounds, strategies.length - 1)] ?? strategies[0];
}

export function judgeOutcome(
  item: ClaimedItem,
  outcome: Outcome,
  { strategy, ms }: { readonly strategy: string; readonly ms: number },
  bounds: RetryBounds,
  random: () => number = Math.random,
): ItemResult {
  if (outcome.kind === 'found') return resultOf(item, ms, outcome.strategy ?? strategy, outcome.result, outcome.answer);
  const base = resultOf(item, ms, strategy, null, outcome.answer);
  switch (outcome.kind) {
    case 'skipped':
      return {
        ...base,
        status: 'SKIPPED',
        outcome: 'SKIPPED',
        code: outcome.code ?? 'item_skipped',
        detail: outcome.reason,
      };
    case 'refused':
      return {
        ...base,
        status: 'ERROR',
        outcome: 'ERROR',
        code: outcome.code,
        detail: outcome.reason,
        errors: item.errors + 1,
      };
    case 'not_found':
      return judgeNotFound(item, outcome, base, bounds, random);
    case 'retry':
      return judgeRetry(item, outcome, base, bounds, random);
  }
}

/** As of an item that was found; in one piece, because there are thousands a second. */
function resultOf(item: ClaimedItem, ms: number, strategy: string, result: unknown, answer: unknown): ItemResult {
  return {
    id: item.id,
    row: item.row_index,
    claim: item.claims,
    attempt: item.attempts,
    status: 'DONE',
    outcome: 'FOUND',
    result,
    strategy,
    code: null,
    detail: null,
    answer: answer ?? null,
    delay_ms: null,
    errors: item.errors,
    not_founds: item.not_founds,
    refusals: item.refusals,
    ms: Math.round(ms),
  };
}

function judgeNotFound(
  item: ClaimedItem,
  outcome: Extract<Outcome, { kind: 'not_found' }>,
  base: ItemResult,
  { maxAttemptsNotFound }: RetryBounds,
  random: () => number,
): ItemResult {
  const notFounds = item.not_founds + 1;
  const detail = outcome.detail ?? 'Nothing was found.';
  const said = { ...base, code: 'item_not_matched', detail, not_founds: notFounds, outcome: 'NOT_FOUND' as const };
  if (outcome.isFinal === true || notFounds >= maxAttemptsNotFound) return { ...said, status: 'NOT_FOUND' };
  const plain = NOT_FOUND_AFTER_MS[Math.min(notFounds, NOT_FOUND_AFTER_MS.length) - 1] ?? HOUR_MS;
  return { ...said, status: 'PENDING', delay_ms: Math.round(plain * (1 + NOT_FOUND_JITTER * random())) };
}

/** Being asked to slow down costs no attempt, but nobody asks for ever. */
function judgeRetry(
  item: ClaimedItem,
  outcome: Extract<Outcome, { kind: 'retry' }>,
  base: ItemResult,
  { maxAttemptsError, maxAttemptsRateLimited, spacing }: RetryBounds,
  random: () => number,
): ItemResult {
  const isFree = outcome.because === 'rate_limited';
  const errors = isFree ? item.errors : item.errors + 1;
  const refusals = isFree && outcome.isUnasked !== true ? item.refusals + 1 : item.refusals;
  const said = { ...base, code: outcome.code ?? `item_${outcome.because}`, detail: outcome.reason, errors, refusals };
  if (refusals >= maxAttemptsRateLimited)
    return {
      ...said,
      status: 'ERROR',
      outcome: 'ERROR',
      detail: `${outcome.reason} Given up after it was refused ${refusals} times.`,
    };
  if (errors >= maxAttemptsError)
    return {
      ...said,
      status: 'ERROR',
      outcome: 'ERROR',
      detail: `${outcome.reason} Given up after ${errors} failed attempts.`,
    };
  const pause = pauseMs(backoffs[outcome.because], isFree ? Math.min(item.refusals, 6) : item.errors, random);
  // As told, a little apart from each other; where nothing was told, as the kind has it.
  const told = outcome.afterMs === undefined ? undefined : outcome.afterMs * (1 + TOLD_JITTER * random());
  const delay = Math.round(told ?? pause * spacing);
  return { ...said, status: 'PENDING', outcome: 'RETRY', delay_ms: delay };
}

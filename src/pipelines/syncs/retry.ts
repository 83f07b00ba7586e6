// The retry table of syncs. Auth errors have no row: they become dead letters at once, as do errors only a person can fix.
import type { Backoff, RetryPolicy } from '../../engine/retry-policy.ts';

const MAX_RETRIES = 5;

/** 60 s × 2^attempt, ±25 %, then at most an hour. */
export const syncBackoff: Backoff = { baseMs: 60_000, factor: 2, maxMs: 3_600_000, jitter: 0.25 };

export const syncRetryPolicy: RetryPolicy = {
  // 5xx, time-outs, broken connections, and syncs that Airbyte itself reports as failed: 5 retries, 6 executions.
  transient: { max: MAX_RETRIES, backoff: syncBackoff },
  // Costs no retry. A Retry-After is honoured even above the cap; Airbyte sends none, so then the formula holds.
  rate_limited: { max: Number.POSITIVE_INFINITY, backoff: syncBackoff, ceilingMs: 86_400_000 },
  conflict: { max: MAX_RETRIES, backoff: syncBackoff },
};

// Waiting for a condition instead of sleeping: looks at once and then less and less often, until a deadline, and says what it waited for. The
// deadline is there to end a test that cannot succeed; no rule is about it, so that a slow machine changes no verdict.
import { setTimeout as pause } from 'node:timers/promises';

/** Shorter where a fault is planted (test/mutate): what waits for ever then is to be judged before the time of its run is over. */
const LONGEST_MS = Number(process.env.MILLRACE_TEST_WAIT_MS ?? 300_000);

/**
 * A look at the database takes a millisecond of processor time. At one every five milliseconds, a test that waits would take a fifth of a
 * processor from what it waits for; so it looks again after a tenth of the time it has waited, within these bounds.
 */
const LEAST_PAUSE_MS = 5;
const MOST_PAUSE_MS = 25;

export interface WaitOptions {
  readonly timeoutMs?: number;
  /** For what must be looked at more often, or less, than by default. */
  readonly everyMs?: number;
  /** Named in the failure: "waited 5000 ms for the run to be done". */
  readonly what?: string;
}

/** Returns the first value that is neither undefined, null nor false. Errors of `condition` count as "not yet". */
export async function waitFor<T>(
  condition: () => T | undefined | null | false | Promise<T | undefined | null | false>,
  { timeoutMs = LONGEST_MS, everyMs, what = condition.toString() }: WaitOptions = {},
): Promise<T> {
  const startedAt = performance.now();
  const deadline = startedAt + timeoutMs;
  let lastError: unknown;
  for (;;) {
    try {
      const value = await condition();
      if (value !== undefined && value !== null && value !== false) return value;
      lastError = undefined;
    } catch (error) {
      lastError = error;
    }
    if (performance.now() > deadline) {
      throw new Error(`waited ${timeoutMs} ms for ${what}`, lastError === undefined ? {} : { cause: lastError });
    }
    await pause(everyMs ?? pauseAfter(performance.now() - startedAt));
  }
}

function pauseAfter(waitedMs: number): number {
  return Math.min(MOST_PAUSE_MS, Math.max(LEAST_PAUSE_MS, waitedMs / 10));
}

// Waiting for a condition instead of sleeping: polls every few milliseconds until a deadline and says what it waited for. The deadline is
// there to end a test that cannot succeed; no rule is about it, so that a slow machine changes no verdict.
import { setTimeout as pause } from 'node:timers/promises';

/** Shorter where a fault is planted (test/mutate): what waits for ever then is to be judged before the time of its run is over. */
const LONGEST_MS = Number(process.env.MILLRACE_TEST_WAIT_MS ?? 300_000);

export interface WaitOptions {
  readonly timeoutMs?: number;
  readonly everyMs?: number;
  /** Named in the failure: "waited 5000 ms for the run to be done". */
  readonly what?: string;
}

/** Returns the first value that is neither undefined, null nor false. Errors of `condition` count as "not yet". */
export async function waitFor<T>(
  condition: () => T | undefined | null | false | Promise<T | undefined | null | false>,
  { timeoutMs = LONGEST_MS, everyMs = 5, what = condition.toString() }: WaitOptions = {},
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
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
    await pause(everyMs);
  }
}

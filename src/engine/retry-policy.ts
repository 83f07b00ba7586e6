// Whether and when a failed attempt is tried again. Decided by the error's kind alone, against counts per kind and stage.
import type { ErrorKind } from '../contract/errors/entry.ts';

export interface Backoff {
  /** Pause before the first retry. */
  readonly baseMs: number;
  /** Each further pause is this many times longer. */
  readonly factor: number;
  readonly maxMs: number;
  /** Share of the pause that is random, e.g. 0.25 for ±25 %. Applied before the clamp to maxMs. */
  readonly jitter: number;
}

export interface RetryRule {
  /** How many retries; the attempt after the last one ends the run. Infinity: until `ceilingMs` has passed. */
  readonly max: number;
  readonly backoff: Backoff;
  /** Give up when the run is older than this, whatever `max` says. */
  readonly ceilingMs?: number;
}

/** Kinds without a rule are not retried. `lost` is counted by the rescuer and needs no rule here. */
export type RetryPolicy = Partial<Record<ErrorKind, RetryRule>>;

export type Failures = Readonly<Record<string, number>>;

export type Verdict =
  | { readonly act: 'retry'; readonly delayMs: number; readonly number: number; readonly of: number }
  | { readonly act: 'end'; readonly event: 'fail' | 'dead' };

const DAY_MS = 86_400_000;

export const defaultRetryPolicy: RetryPolicy = {
  transient: { max: 3, backoff: { baseMs: 1_000, factor: 2, maxMs: 60_000, jitter: 0 } },
  conflict: { max: 3, backoff: { baseMs: 100, factor: 2, maxMs: 1_000, jitter: 0.25 } },
  // A rate limit costs nothing: it waits as told, for up to a day.
  rate_limited: {
    max: Number.POSITIVE_INFINITY,
    backoff: { baseMs: 60_000, factor: 1, maxMs: 3_600_000, jitter: 0.25 },
    ceilingMs: DAY_MS,
  },
};

/** What is wrong with a rule, for authors who write pipelines without types. Found only at the first failure, the fault would keep the run from ending. */
export function faultOfRule(rule: RetryRule): string | undefined {
  const isAmount = (value: unknown) => typeof value === 'number' && value >= 0;
  if (!isAmount(rule?.max)) return 'needs `max`, how many retries there are';
  const parts = ['baseMs', 'factor', 'maxMs', 'jitter'] as const;
  const missing = parts.filter((part) => !isAmount(rule.backoff?.[part]));
  if (missing.length > 0) return `needs numbers in \`backoff\`: ${missing.join(', ')}`;
  return rule.ceilingMs === undefined || isAmount(rule.ceilingMs)
    ? undefined
    : 'has a `ceilingMs` that is not a number';
}

export interface FailedAttempt {
  readonly kind: ErrorKind;
  readonly stage: string;
  /** Counts before this failure. */
  readonly failures: Failures;
  readonly runAgeMs: number;
  /** What the other side asked for (Retry-After). Honoured even above maxMs. */
  readonly retryAfterMs?: number | undefined;
}

export function countFailure(failures: Failures, kind: ErrorKind, stage: string): Failures {
  const key = `${kind}:${stage}`;
  return { ...failures, [key]: (failures[key] ?? 0) + 1 };
}

/** Part '' counts under the stage's name alone. */
export function lossKey(stage: string, part: string): string {
  return part === '' ? `lost:${stage}` : `lost:${stage}/${part}`;
}

/** Counted when a run that was claimed ahead, and is not known to have begun, lost its worker: from then on its beginning is written down. */
export function unbegunKey(stage: string, part: string): string {
  return part === '' ? `unbegun:${stage}` : `unbegun:${stage}/${part}`;
}

/** The same object when there is nothing to forget. */
export function withoutLosses(failures: Failures, stage: string, part: string): Failures {
  const forgotten = [lossKey(stage, part), unbegunKey(stage, part)];
  if (!forgotten.some((key) => key in failures)) return failures;
  return Object.fromEntries(Object.entries(failures).filter(([key]) => !forgotten.includes(key)));
}

export function judge(policy: RetryPolicy, failed: FailedAttempt, random: () => number = Math.random): Verdict {
  const rule = policy[failed.kind];
  const before = failed.failures[`${failed.kind}:${failed.stage}`] ?? 0;
  const tooOld = rule?.ceilingMs !== undefined && failed.runAgeMs > rule.ceilingMs;
  if (!rule || before >= rule.max || tooOld) return { act: 'end', event: endingEvent(failed.kind, rule) };
  const delayMs = Math.max(
    failed.retryAfterMs ?? 0,
    failed.retryAfterMs === undefined ? pauseMs(rule.backoff, before, random) : 0,
  );
  return { act: 'retry', delayMs, number: before + 1, of: rule.max };
}

export function pauseMs(backoff: Backoff, retriesSoFar: number, random: () => number = Math.random): number {
  const plain = backoff.baseMs * backoff.factor ** retriesSoFar;
  const spread = plain * backoff.jitter * (2 * random() - 1);
  return Math.round(Math.min(backoff.maxMs, Math.max(0, plain + spread)));
}

/** A refused credential and used-up retries become dead letters, where the machine has such a state; the rest fails. */
function endingEvent(kind: ErrorKind, rule: RetryRule | undefined): 'fail' | 'dead' {
  return kind === 'auth' || rule !== undefined ? 'dead' : 'fail';
}

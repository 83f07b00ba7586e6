// The retry table of syncs, number by number.
import { describe, expect, it } from 'vitest';
import { judge, pauseMs } from '../../engine/retry-policy.ts';
import { syncBackoff, syncRetryPolicy } from './retry.ts';

const failed = (kind: Parameters<typeof judge>[1]['kind'], before = 0, more: object = {}) =>
  judge(
    syncRetryPolicy,
    { kind, stage: 'sync', failures: { [`${kind}:sync`]: before }, runAgeMs: 0, ...more },
    () => 0.5,
  );

describe('syncs', () => {
  it('pause 60 s × 2^attempt between tries', () => {
    expect([0, 1, 2, 3, 4].map((before) => failed('transient', before))).toMatchObject(
      [60, 120, 240, 480, 960].map((seconds) => ({ act: 'retry', delayMs: seconds * 1_000 })),
    );
  });

  it('spread by ±25 %, then at most an hour', () => {
    expect(pauseMs(syncBackoff, 0, () => 0)).toBe(45_000);
    expect(pauseMs(syncBackoff, 0, () => 1)).toBe(75_000);
    expect(pauseMs(syncBackoff, 6, () => 0)).toBe(2_880_000);
    expect(pauseMs(syncBackoff, 6, () => 1)).toBe(3_600_000);
    expect(pauseMs(syncBackoff, 10, () => 0)).toBe(3_600_000);
  });

  it('are tried six times in all, then become dead letters', () => {
    expect(failed('transient', 4).act).toBe('retry');
    expect(failed('transient', 5)).toEqual({ act: 'end', event: 'dead' });
  });

  it('become dead letters at once when the credential is refused', () => {
    expect(failed('auth')).toEqual({ act: 'end', event: 'dead' });
  });

  it('wait as told by a rate limit, above the cap too, for a day at the most, and it costs no retry', () => {
    expect(failed('rate_limited', 50, { retryAfterMs: 7_200_000 })).toMatchObject({ act: 'retry', delayMs: 7_200_000 });
    expect(failed('rate_limited', 0)).toMatchObject({ act: 'retry', delayMs: 60_000 });
    expect(failed('rate_limited', 3, { runAgeMs: 86_400_001 })).toEqual({ act: 'end', event: 'dead' });
    expect(failed('transient', 0, { failures: { 'rate_limited:sync': 40 } })).toMatchObject({
      act: 'retry',
      number: 1,
    });
  });
});

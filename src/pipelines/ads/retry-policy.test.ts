import { expect, it } from 'vitest';
import { type ErrorKind, errorKinds } from '../../contract/errors/entry.ts';
import { defaultRetryPolicy, judge } from '../../engine/retry-policy.ts';
import { adsRetryPolicy } from './ads.pipeline.ts';

const after = (kind: ErrorKind, before: number) =>
  judge(
    { ...defaultRetryPolicy, ...adsRetryPolicy },
    { kind, stage: 'promote', failures: before === 0 ? {} : { [`${kind}:promote`]: before }, runAgeMs: 0 },
  );

it('waits a rate limit out five times, a minute each, and tries a deadlock three times more', () => {
  expect(errorKinds).toHaveProperty('rate_limited');
  for (const before of [0, 1, 2, 3, 4])
    expect(after('rate_limited', before)).toEqual({ act: 'retry', delayMs: 60_000, number: before + 1, of: 5 });
  expect(after('rate_limited', 5).act).toBe('end');
  expect([0, 1, 2].map((before) => after('conflict', before).act)).toEqual(['retry', 'retry', 'retry']);
  expect(after('conflict', 3).act).toBe('end');
});

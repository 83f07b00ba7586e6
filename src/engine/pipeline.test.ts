import { describe, expect, it } from 'vitest';
import { buildPipeline } from '../../test/support/engine.ts';
import type { RetryPolicy } from './retry-policy.ts';

describe('a pipeline is refused when it is defined', () => {
  const backoff = { baseMs: 1, factor: 1, maxMs: 1, jitter: 0 };
  it.each([
    [
      { transient: { max: 3 } },
      'the retry rule for "transient" needs numbers in `backoff`: baseMs, factor, maxMs, jitter',
    ],
    [{ transient: { backoff } }, 'needs `max`'],
    [{ transient: { max: Number.NaN, backoff } }, 'needs `max`'],
    [{ transient: 3 }, 'needs `max`'],
    [{ conflict: { max: 1, backoff: { ...backoff, jitter: '25 %' } } }, 'needs numbers in `backoff`: jitter'],
    [{ conflict: { max: 1, backoff, ceilingMs: 'a day' } }, '`ceilingMs`'],
  ])('with the retry policy %j, not when its first run fails', (retry, words) => {
    expect(() => buildPipeline('retried', async () => 'complete', { retry: retry as RetryPolicy })).toThrow(words);
  });

  it.each([0, -1, 1.5, Number.NaN])('with a lane cap of %s, which no run could pass', (laneCap) => {
    expect(() => buildPipeline('capped', async () => 'complete', { laneCap })).toThrow(
      'laneCap must be a whole number',
    );
  });

  it('but not for a retry without end, which is what Infinity is for', () => {
    const retry = { transient: { max: Number.POSITIVE_INFINITY, backoff } };
    expect(buildPipeline('endless', async () => 'complete', { retry }).retry).toMatchObject(retry);
  });
});

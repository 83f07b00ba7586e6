import { describe, expect, it } from 'vitest';
import { type ErrorKind, errorKinds } from '../contract/errors/entry.ts';
import { countFailure, defaultRetryPolicy, judge, pauseMs } from './retry-policy.ts';

const failed = (kind: ErrorKind, before = 0, more: { runAgeMs?: number; retryAfterMs?: number } = {}) => ({
  kind,
  stage: 'parse',
  failures: before === 0 ? {} : { [`${kind}:parse`]: before },
  runAgeMs: 0,
  ...more,
});

describe('the default policy', () => {
  it.each([
    ['input', 'end', 'fail'],
    ['config', 'end', 'fail'],
    ['auth', 'end', 'dead'],
    ['bug', 'end', 'fail'],
    ['cancelled', 'end', 'fail'],
    ['lost', 'end', 'fail'],
    ['transient', 'retry', undefined],
    ['conflict', 'retry', undefined],
    ['rate_limited', 'retry', undefined],
  ] as const)('%s: %s', (kind, act, event) => {
    const verdict = judge(defaultRetryPolicy, failed(kind));
    expect([verdict.act, verdict.act === 'end' ? verdict.event : undefined]).toEqual([act, event]);
  });

  it('has an answer for every kind of error', () => {
    for (const kind of Object.keys(errorKinds) as ErrorKind[])
      expect(['retry', 'end']).toContain(judge(defaultRetryPolicy, failed(kind)).act);
  });

  it('makes a dead letter of a run whose retries are used up', () => {
    expect(judge(defaultRetryPolicy, failed('transient', 3))).toEqual({ act: 'end', event: 'dead' });
  });

  it('doubles the pause from retry to retry and says which retry it is', () => {
    const pauses = [0, 1, 2].map((before) => judge(defaultRetryPolicy, failed('transient', before)));
    expect(pauses).toEqual([
      { act: 'retry', delayMs: 1_000, number: 1, of: 3 },
      { act: 'retry', delayMs: 2_000, number: 2, of: 3 },
      { act: 'retry', delayMs: 4_000, number: 3, of: 3 },
    ]);
  });

  it('waits as long as the other side asks, also beyond its own longest pause', () => {
    const asked = 10 * 3_600_000;
    expect(judge(defaultRetryPolicy, failed('rate_limited', 50, { retryAfterMs: asked }))).toMatchObject({
      act: 'retry',
      delayMs: asked,
    });
  });

  it('never counts a rate limit, but gives up when the run is a day old', () => {
    expect(judge(defaultRetryPolicy, failed('rate_limited', 1_000))).toMatchObject({ act: 'retry' });
    expect(judge(defaultRetryPolicy, failed('rate_limited', 1, { runAgeMs: 86_400_001 }))).toMatchObject({
      act: 'end',
    });
  });

  it('counts per stage: what failed in one stage is no charge against the next', () => {
    const elsewhere = { ...failed('transient'), failures: { 'transient:promote': 99 } };
    expect(judge(defaultRetryPolicy, elsewhere)).toMatchObject({ act: 'retry', number: 1 });
  });
});

describe('a pause', () => {
  const backoff = { baseMs: 1_000, factor: 2, maxMs: 5_000, jitter: 0.25 };

  it('stays within its jitter and never exceeds its longest', () => {
    expect(pauseMs(backoff, 0, () => 0)).toBe(750);
    expect(pauseMs(backoff, 0, () => 0.5)).toBe(1_000);
    expect(pauseMs(backoff, 0, () => 0.999_999)).toBe(1_250);
    expect(pauseMs(backoff, 10, () => 0.5)).toBe(5_000);
  });
});

describe('the count of failures', () => {
  it('is kept per kind and stage and leaves the old counts alone', () => {
    const before = { 'lost:parse': 2 };
    expect(countFailure(before, 'lost', 'parse')).toEqual({ 'lost:parse': 3 });
    expect(countFailure(before, 'transient', 'parse')).toEqual({ 'lost:parse': 2, 'transient:parse': 1 });
    expect(before).toEqual({ 'lost:parse': 2 });
  });
});

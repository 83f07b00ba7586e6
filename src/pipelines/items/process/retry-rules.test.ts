import { describe, expect, it } from 'vitest';
import { found, notFound, refused, retry, skipped } from '../processors/processor.ts';
import type { ClaimedItem } from '../sql/claim-items.ts';
import { judgeOutcome, strategyOf } from './retry-rules.ts';

const fresh: ClaimedItem = {
  id: '1',
  row_index: 0,
  input_json: {},
  normalized_json: {},
  corrections: null,
  attempts: 1,
  errors: 0,
  not_founds: 0,
  refusals: 0,
  claims: 1,
};
const bounds = { maxAttemptsError: 3, maxAttemptsNotFound: 3, maxAttemptsRateLimited: 50, spacing: 1 };
const judge = (outcome: Parameters<typeof judgeOutcome>[1], item: Partial<ClaimedItem> = {}, over = {}) =>
  judgeOutcome({ ...fresh, ...item }, outcome, { strategy: 's', ms: 1.4 }, { ...bounds, ...over }, () => 0.5);
const HOUR = 3_600_000;

describe('what becomes of an item', () => {
  it('found, skipped and refused are fates', () => {
    expect(judge(found({ a: 1 }))).toMatchObject({ status: 'DONE', outcome: 'FOUND', result: { a: 1 }, ms: 1 });
    expect(judge(skipped('twin'))).toMatchObject({ status: 'SKIPPED', code: 'item_skipped', detail: 'twin' });
    expect(judge(refused('gtin_invalid', 'no'))).toMatchObject({ status: 'ERROR', code: 'gtin_invalid', errors: 1 });
  });

  it('not found is looked for again after 1 h and 6 h and then is a fate; a final one is at once', () => {
    const looks = [0, 1, 2].map((notFounds) => judge(notFound(), { not_founds: notFounds }));
    expect(looks.map(({ status }) => status)).toEqual(['PENDING', 'PENDING', 'NOT_FOUND']);
    expect(looks[0]?.delay_ms).toBeGreaterThanOrEqual(HOUR);
    expect(looks[1]?.delay_ms).toBeGreaterThanOrEqual(6 * HOUR);
    const fourth = judge(notFound(), { not_founds: 2 }, { maxAttemptsNotFound: 9 });
    expect(fourth.delay_ms).toBeGreaterThanOrEqual(24 * HOUR);
    expect(judge(notFound({ isFinal: true }))).toMatchObject({ status: 'NOT_FOUND', delay_ms: null });
  });

  it('failures are retried with growing pauses until there were too many, and longer apart while many fail', () => {
    const tries = [0, 1, 2].map((errors) => judge(retry('transient', 'away'), { errors }));
    expect(tries.map(({ status }) => status)).toEqual(['PENDING', 'PENDING', 'ERROR']);
    expect(tries.map(({ delay_ms: delay }) => delay)).toEqual([2_000, 4_000, null]);
    expect(tries[2]?.detail).toMatch(/Given up after 3/);
    expect(judge(retry('transient', 'away'), {}, { spacing: 4 }).delay_ms).toBe(8_000);
  });

  it('being asked to slow down waits as told and costs no attempt', () => {
    const asked = judge(retry('rate_limited', 'busy', { afterMs: 90_000 }), { errors: 2, attempts: 40 });
    expect(asked).toMatchObject({ status: 'PENDING', outcome: 'RETRY', errors: 2 });
    expect(asked.delay_ms).toBeGreaterThanOrEqual(90_000);
  });

  it('an item that is always asked to wait is given up some day; not being asked at all does not count', () => {
    const last = judge(retry('rate_limited', 'busy'), { refusals: 49 });
    expect(last).toMatchObject({ status: 'ERROR', refusals: 50, code: 'item_rate_limited' });
    expect(last.detail).toMatch(/refused 50 times/);
    const closed = judge(retry('rate_limited', 'closed', { afterMs: 5_000, isUnasked: true }), { refusals: 49 });
    expect(closed).toMatchObject({ status: 'PENDING', refusals: 49 });
  });

  it('the next strategy follows every look that found nothing; the last one stays', () => {
    expect([0, 1, 2, 3].map((looks) => strategyOf(['a', 'b', 'c'], looks))).toEqual(['a', 'b', 'c', 'c']);
  });
});

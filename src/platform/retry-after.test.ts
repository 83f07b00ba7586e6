import { describe, expect, it } from 'vitest';
import { askedWaitMs } from './retry-after.ts';

describe('the pause that an answer asks for', () => {
  const date = 'Sun, 15 Feb 2026 12:00:00 GMT';

  it.each([
    ['120', 120_000],
    [' 7 ', 7_000],
    ['0', 0],
    ['Sun, 15 Feb 2026 12:01:00 GMT', 60_000],
    ['Sun, 15 Feb 2026 11:00:00 GMT', 0],
    ['99999999', 86_400_000],
    ['Wed, 17 Feb 2027 12:00:00 GMT', 86_400_000],
    [undefined, undefined],
    ['', undefined],
    ['soon', undefined],
    ['-1', undefined],
    ['1.5', undefined],
    ['2026-02-15', undefined],
  ])('is seconds or a date by the clock of the sender, a day at the most, and nothing else: %s', (header, expected) => {
    expect(askedWaitMs({ date, 'retry-after': header })).toBe(expected);
  });

  it('is reckoned by our own clock where the sender does not tell its time', () => {
    const inTenMinutes = new Date(Date.now() + 600_000).toUTCString();
    expect(askedWaitMs({ 'retry-after': inTenMinutes })).toBeGreaterThan(300_000);
  });
});

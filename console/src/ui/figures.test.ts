import { describe, expect, it } from 'vitest';
import { amount, bytes, decimal, duration, howFar, money, percent, plural } from './figures.ts';

describe('figures in words', () => {
  it('gives a span of time in two units at most', () => {
    expect([850, 4_200, 59_400, 200_000, 7_500_000, 90_000_000].map(duration)).toEqual([
      '850 ms',
      '4.2 s',
      '59 s',
      '3 min 20 s',
      '2 h 5 min',
      '1 d 1 h',
    ]);
  });

  it('groups an exact decimal without touching a digit', () => {
    expect(decimal('12345678901234567.10')).toBe('12,345,678,901,234,567.10');
    expect(decimal('-1204.5')).toBe('-1,204.5');
    expect(decimal('n/a')).toBe('n/a');
  });

  it('never rounds nearly all to all or a little to nothing', () => {
    expect(percent(99_999, 100_000)).toBe('> 99.9 %');
    expect(percent(1, 100_000)).toBe('< 0.1 %');
    expect(percent(0, 0)).toBe('–');
  });

  it('names the unit of progress once', () => {
    expect(howFar({ done: 14, total: 400, unit: 'steps' })).toBe('14 of 400 steps');
    expect(howFar({ done: 4_194_171, total: 50_000_000, unit: 'bytes' })).toBe('4.2 MB of 50.0 MB');
    expect(howFar({ done: 14, total: null, unit: 'rows' })).toBe('14 rows');
  });

  it('counts nouns and bytes', () => {
    expect(plural(1, 'row')).toBe('1 row');
    expect(bytes(50_000_000)).toBe('50.0 MB');
    expect(bytes(812)).toBe('812 B');
    expect([amount(4_194_171, 'bytes'), amount(1_204, 'rows')]).toEqual(['4.2 MB', '1,204 rows']);
  });
});

describe('money', () => {
  it('has two decimals at least and loses no digit', () => {
    expect(['712.5', '700', '12.345', '-3.1', '1204'].map(money)).toEqual([
      '712.50',
      '700.00',
      '12.345',
      '-3.10',
      '1,204.00',
    ]);
  });

  it('that is no number is left as it is', () => {
    expect(money('–')).toBe('–');
  });
});

import { describe, expect, it } from 'vitest';
import { agrees, exactSum, sameDecimal } from './exact-sum.ts';

describe('exact sums', () => {
  it('adds what floats cannot', () => {
    expect(exactSum(['0.1', '0.2'])).toBe('0.3');
    expect(exactSum(['90071992547409931.25', '0.75', '-1'])).toBe('90071992547409931.00');
    expect(exactSum([])).toBe('0');
  });

  it('compares by value, not by how many zeros are written', () => {
    expect(sameDecimal('18204.10', '18204.1')).toBe(true);
    expect(sameDecimal('18204.10', '18204.11')).toBe(false);
    expect(sameDecimal('-0.50', '-0.5')).toBe(true);
  });
});

describe('a total that a file states', () => {
  it('agrees to the last digit it has: rounding is no difference, a missing row is one', () => {
    expect(agrees('12.50', '12.5')).toBe(true);
    expect(agrees('12.35', '12.3456')).toBe(true);
    expect(agrees('12.34', '12.3456')).toBe(false);
    expect(agrees('12', '13')).toBe(false);
    expect(agrees('-0.5', '-0.50')).toBe(true);
  });
});

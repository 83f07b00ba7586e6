import { describe, expect, it } from 'vitest';
import { DecimalSum, decimalToScaled, scaledToDecimal } from './decimal.ts';

describe('exact decimals', () => {
  it.each([
    ['12.5', 2, 1250n],
    ['-12.5', 2, -1250n],
    ['0', 2, 0n],
    ['7', 6, 7_000_000n],
  ] as const)('scales %s by %i digits', (text, scale, scaled) => {
    expect(decimalToScaled(text, scale)).toBe(scaled);
    expect(scaledToDecimal(scaled, scale)).toBe(text);
  });

  it('refuses to lose digits', () => {
    expect(decimalToScaled('0.125', 2)).toBeNull();
  });

  it('adds a million cents without drift', () => {
    const sum = new DecimalSum();
    for (let i = 0; i < 100_000; i++) sum.add('0.1');
    expect(sum.toString()).toBe('10000');
  });

  it('widens when a value brings more decimals', () => {
    const sum = new DecimalSum();
    for (const value of ['0.1', '0.0000001', '-5', '100000000000000000000']) sum.add(value);
    expect(sum.toString()).toBe('99999999999999999995.1000001');
  });
});

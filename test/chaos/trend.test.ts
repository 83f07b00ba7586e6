import { describe, expect, it } from 'vitest';
import { randomFrom } from './random.ts';
import { slopeOf } from './trend.ts';

describe('the slope of a series', () => {
  const noisy = (slope: number) => {
    const random = randomFrom(7);
    return Array.from({ length: 200 }, (_, x) => ({ x, y: 100 + slope * x + random.between(-5, 5) }));
  };

  it('is found under noise, within its interval', () => {
    const { slope, error } = slopeOf(noisy(0.5));
    expect(Math.abs(slope - 0.5)).toBeLessThan(error);
    expect(slope - error).toBeGreaterThan(0.4);
  });

  it('is not claimed where there is none', () => {
    const { slope, error } = slopeOf(noisy(0));
    expect(slope - error).toBeLessThan(0);
  });

  it('is unknown with fewer than three samples', () => {
    expect(slopeOf([{ x: 1, y: 1 }]).error).toBe(Number.POSITIVE_INFINITY);
  });
});

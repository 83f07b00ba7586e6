import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { KeyWatch } from './key-watch.ts';

const keyOf = (n: number) => hash('sha256', String(n), 'hex');

describe('watching keys', () => {
  it('calls 300,000 distinct keys distinct', () => {
    const watch = new KeyWatch();
    for (let n = 0; n < 300_000; n++) watch.add(keyOf(n));
    expect(watch.mayRepeat).toBe(false);
  });

  it.each([0, 1, 6_143, 6_144, 99_999])('notices that key %i of 100,000 comes again', (again) => {
    const watch = new KeyWatch();
    for (let n = 0; n < 100_000; n++) watch.add(keyOf(n));
    watch.add(keyOf(again));
    expect(watch.mayRepeat).toBe(true);
  });

  it('says nothing of more keys than it can keep, or of keys it has not seen', () => {
    const full = new KeyWatch();
    for (let n = 0; n < 400_000; n++) full.add(keyOf(n));
    const late = new KeyWatch();
    late.giveUp();
    late.add(keyOf(1));
    expect([full.mayRepeat, late.mayRepeat]).toEqual([true, true]);
  });
});

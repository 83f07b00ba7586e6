import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { tickerFor } from './use-now.ts';

describe('the clock on screen', () => {
  beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }));
  afterEach(() => void vi.useRealTimers());

  it('is one per rate, and whoever begins to read while it ticks does not move it for the others', () => {
    const { read, subscribe } = tickerFor(1_000);
    expect(tickerFor(1_000).subscribe).toBe(subscribe);
    const leave = [subscribe(() => undefined)];
    const shown = read();
    for (let reader = 0; reader < 100; reader += 1) {
      vi.setSystemTime(1_000_001 + reader);
      leave.push(subscribe(() => undefined));
      expect(read()).toBe(shown);
    }
    for (const each of leave) each();
  });

  it('tells all readers of each tick, stands still without any, and is right again with the next one', () => {
    const { read, subscribe } = tickerFor(2_000);
    let told = 0;
    const leave = [1, 2].map(() =>
      subscribe(() => {
        told += 1;
      }),
    );
    vi.advanceTimersByTime(2_000);
    expect([told, read()]).toEqual([2, 1_002_000]);
    for (const each of leave) each();
    vi.advanceTimersByTime(60_000);
    expect([told, read()]).toEqual([2, 1_002_000]);
    const last = subscribe(() => undefined);
    expect(read()).toBe(1_062_000);
    last();
  });
});

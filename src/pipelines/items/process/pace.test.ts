import { describe, expect, it } from 'vitest';
import type { Decision } from '../../../engine/adaptive.ts';
import { Pace } from './pace.ts';

const { signal } = new AbortController();

describe('the pace of a host', () => {
  it('asked to slow down, it halves what is under way and says why; after good answers it allows one more', () => {
    const pace = new Pace('host', { concurrency: 8, perSecond: undefined });
    const decisions: Decision[] = [];
    const note = (decision: Decision) => void decisions.push(decision);
    pace.slowDown('429 Too Many Requests', 10, note);
    pace.slowDown('429 Too Many Requests', 10, note);
    expect(pace.atOnce).toBe(2);
    pace.answeredWell(note);
    pace.answeredWell(note);
    expect(pace.atOnce).toBe(3);
    expect(decisions.map(({ from, to }) => [from, to])).toEqual([
      [8, 4],
      [4, 2],
      [2, 3],
    ]);
    expect(decisions[0]?.reason).toBe('429 Too Many Requests');
  });

  it('sixteen refusals of requests that were under way together are one reason to wait, as long as the host asked for', () => {
    const pace = new Pace('host', { concurrency: 16, perSecond: undefined });
    for (let refused = 0; refused < 16; refused += 1) pace.slowDown('429', 30_000, () => undefined);
    expect(pace.closedForMs()).toBeGreaterThan(20_000);
    expect(pace.closedForMs()).toBeLessThanOrEqual(30_000);
  });

  it('waits as long as the host says, also for minutes; of its own choice a minute at most', () => {
    const told = new Pace('host', { concurrency: 4, perSecond: undefined });
    told.slowDown('429', 600_000, () => undefined);
    expect(told.closedForMs()).toBeGreaterThan(590_000);
    expect(told.why).toBe('429');
    const forEver = new Pace('host', { concurrency: 4, perSecond: undefined });
    forEver.slowDown('429', 1e12, () => undefined);
    expect(forEver.closedForMs()).toBeLessThanOrEqual(3_600_000);
  });

  it('never has more at once than it allows', async () => {
    const pace = new Pace('host', { concurrency: 3, perSecond: undefined });
    let [now, most] = [0, 0];
    const work = async () => {
      now += 1;
      most = Math.max(most, now);
      await new Promise((go) => setImmediate(go));
      now -= 1;
    };
    await Promise.all(Array.from({ length: 30 }, () => pace.run(signal, work)));
    expect(most).toBe(3);
  });

  it('gives out no more tokens than a second has', async () => {
    const pace = new Pace('host', { concurrency: 100, perSecond: 50 });
    const startedAt = performance.now();
    await Promise.all(Array.from({ length: 60 }, () => pace.run(signal, async () => undefined)));
    // 50 at once, ten more at 20 ms each.
    expect(performance.now() - startedAt).toBeGreaterThan(150);
  });
});

import { describe, expect, it } from 'vitest';
import { AdaptiveSize, type Decision } from './adaptive.ts';

function controller(more: Partial<ConstructorParameters<typeof AdaptiveSize>[0]> = {}) {
  const decisions: Decision[] = [];
  const size = new AdaptiveSize({
    name: 'rows',
    initial: 100,
    min: 10,
    max: 10_000,
    targetMs: 100,
    onDecision: (decision) => decisions.push(decision),
    ...more,
  });
  return { size, decisions };
}

/** A world in which an item takes `perItemMs`. */
function feed(size: AdaptiveSize, perItemMs: number, batches: number): void {
  for (let number = 0; number < batches; number += 1) size.observe(size.size, size.size * perItemMs);
}

describe('an adaptive size', () => {
  it('grows by at most a factor of two at a time while batches are quick', () => {
    const { size } = controller();
    const sizes = [size.size];
    for (let number = 0; number < 4; number += 1) {
      size.observe(size.size, 1);
      sizes.push(size.size);
    }
    expect(sizes).toEqual([100, 200, 400, 800, 1_600]);
  });

  it('settles where a batch takes the time it should', () => {
    const { size } = controller();
    feed(size, 0.05, 50);
    expect(size.size * 0.05).toBeGreaterThan(80);
    expect(size.size * 0.05).toBeLessThan(120);
  });

  it('goes down when items become dearer', () => {
    const { size } = controller();
    feed(size, 0.05, 50);
    const before = size.size;
    feed(size, 0.5, 50);
    expect(size.size).toBeLessThan(before / 5);
  });

  it('halves at once on trouble', () => {
    const { size, decisions } = controller();
    size.shrink('the pool was exhausted');
    expect(size.size).toBe(50);
    expect(decisions).toEqual([{ name: 'rows', from: 100, to: 50, reason: 'the pool was exhausted' }]);
  });

  it('never leaves its bounds', () => {
    const { size } = controller();
    feed(size, 0.000_01, 50);
    expect(size.size).toBe(10_000);
    feed(size, 1_000, 50);
    for (let number = 0; number < 20; number += 1) size.shrink('trouble');
    expect(size.size).toBe(10);
  });

  it('hands out every change, and nothing when nothing changes', () => {
    const { size, decisions } = controller();
    feed(size, 1, 30);
    expect(size.size).toBe(100);
    expect(decisions).toEqual([]);
    size.observe(100, 10);
    expect(decisions.at(-1)).toMatchObject({ from: 100, to: size.size });
  });

  it('gives the average it decides by as its reason, not the last batch, which may say the opposite', () => {
    const { size, decisions } = controller({ initial: 400 });
    size.observe(400, 20);
    // This one is over the target, and still the average says that more rows fit.
    size.observe(800, 120);
    expect(decisions).toEqual([
      { name: 'rows', from: 400, to: 800, reason: '400 at a time take 20 ms on average, under the target of 100 ms' },
      { name: 'rows', from: 800, to: 1_250, reason: '800 at a time take 64 ms on average, under the target of 100 ms' },
    ]);
  });

  it('ignores an empty batch', () => {
    const { size } = controller();
    size.observe(0, 5_000);
    expect(size.size).toBe(100);
  });

  it('says when it cannot shrink any further', () => {
    const size = new AdaptiveSize({ name: 'rows', initial: 3, min: 2, max: 10, targetMs: 100 });
    expect(size.shrink('a statement ran into its limit')).toBe(true);
    expect(size.shrink('a statement ran into its limit')).toBe(false);
    expect(size.size).toBe(2);
  });

  it('is halved when more than one batch in twenty takes too long, and says so', () => {
    const { size, decisions } = controller({ p95Ms: 300 });
    feed(size, 1, 5);
    size.observe(100, 400);
    const before = size.size;
    size.observe(before, 400);
    expect(size.size).toBeLessThanOrEqual(Math.floor(before / 2));
    expect(decisions.at(-1)?.reason).toBe('2 of the last 7 took longer than 300 ms');
  });

  it('is halved when a connection had to be waited for', () => {
    const { size, decisions } = controller();
    size.observe(100, 1, { waitMs: 400 });
    expect([size.size, decisions.at(-1)?.reason]).toEqual([50, '400 ms went by until a connection was free']);
  });

  it('holds no more items than fit into the bytes of a batch', () => {
    const { size, decisions } = controller({ maxBytes: 10_000 });
    for (let number = 0; number < 5; number += 1) size.observe(size.size, 1, { bytes: size.size * 200 });
    expect(size.size).toBe(50);
    expect(decisions.at(-1)?.reason).toBe('each has about 200 bytes, and 10000 are the most at a time');
  });
});

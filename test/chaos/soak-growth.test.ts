import { describe, expect, it } from 'vitest';
import { longSoak, smallSoak } from './soak.ts';
import { growthIn, queueTables } from './soak-growth.ts';

const SAMPLES = 40;

/** Forty samples over the given minutes: what a worker holds, and the dead rows of every queue table, by number of the sample. */
function samplesOf(minutes: number, rss: (number: number) => number, dead: (number: number) => number) {
  return Array.from({ length: SAMPLES }, (_, number) => ({
    minute: (minutes * number) / SAMPLES,
    rss: [rss(number), 100],
    tables: queueTables.map((name) => ({ name, dead: dead(number), live: 0, bytes: 8_192 })),
  }));
}

const wobble = (number: number) => (number % 4) - 1.5;

describe.each([
  ['of ten minutes', longSoak(10), 0.2, 'worker 1 grows by'],
  ['of seconds', smallSoak, 3, 'worker 1 has grown by'],
] as const)('a soak %s', (_, { minutes, bars }, leakMb, words) => {
  it('finds nothing where memory wobbles and dead rows come and go', () => {
    const samples = samplesOf(
      minutes,
      (number) => 100 + wobble(number),
      (number) => (number % 5) * 2 * bars.deadRows,
    );
    expect(growthIn(samples, minutes, bars).findings).toEqual([]);
  });

  it('finds the worker whose memory grows, and only that one', () => {
    const samples = samplesOf(
      minutes,
      (number) => 100 + leakMb * number + wobble(number),
      () => 0,
    );
    expect(growthIn(samples, minutes, bars).findings).toEqual([expect.stringContaining(words)]);
  });

  it('forgives the warm-up of a slow machine, on which the same work lasts ten times as long', () => {
    const warmUp = 0.2 * SAMPLES;
    const samples = samplesOf(
      10 * minutes,
      (number) => 100 + (leakMb * SAMPLES * Math.min(number, warmUp)) / warmUp,
      () => 0,
    );
    expect(growthIn(samples, minutes, bars).findings).toEqual([]);
  });

  it('finds every table in which dead rows gather', () => {
    const samples = samplesOf(
      minutes,
      () => 100,
      (number) => bars.deadRows * 0.1 * number,
    );
    expect(growthIn(samples, minutes, bars).findings).toEqual(
      queueTables.map((name) => expect.stringContaining(`engine.${name} gathers dead rows`)),
    );
  });
});

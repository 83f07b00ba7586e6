import { describe, expect, it } from 'vitest';
import { curvesOf } from './throughput-samples.ts';

const at = (seconds: number) => new Date(seconds * 1000).toISOString();
const sample = (seconds: number, done: number, attempt = 1) => ({
  at: at(seconds),
  attempt,
  stage: 'promote',
  done,
  unit: 'rows',
});
const decision = (seconds: number, from: number, to: number, knob = 'rows per batch') => ({
  at: at(seconds),
  stage: 'promote',
  knob,
  from,
  to,
  reason: '',
});

describe('the throughput of a run', () => {
  it('is counted between two signs of progress', () => {
    const [curve] = curvesOf({ samples: [sample(1, 0), sample(3, 500), sample(4, 600)], decisions: [] });
    expect(curve).toMatchObject({ x: [3, 4], perSecond: [250, 100], unit: 'rows' });
  });

  it('is never negative: a stage that starts again after a takeover counts from there', () => {
    const [curve] = curvesOf({ samples: [sample(1, 900), sample(2, 10, 2), sample(3, 30, 2)], decisions: [] });
    expect(curve?.perSecond).toEqual([0, 20]);
  });

  it('shows the size of a batch at every moment, and marks where it was made smaller', () => {
    const [curve] = curvesOf({
      samples: [sample(1, 0), sample(2, 10), sample(4, 30)],
      decisions: [decision(3, 1_000, 500), decision(1, 9, 8, 'another')].slice(0, 1),
    });
    expect(curve).toMatchObject({ x: [2, 3, 4], sizes: [1_000, 500, 500], shrunk: [null, 500, null] });
  });

  it('is no curve when there are too few signs', () => {
    expect(curvesOf({ samples: [sample(1, 0), sample(2, 10)], decisions: [] })).toEqual([]);
  });
});

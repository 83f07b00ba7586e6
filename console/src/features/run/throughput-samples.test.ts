import { describe, expect, it } from 'vitest';
import { addSample } from './throughput-samples.ts';

const progress = { done: 0, total: 100, unit: 'rows', per_second: null, eta_at: null, at: '1970-01-01T00:00:01.000Z' };

describe('throughput samples', () => {
  it('count the rate from the sample before when the server gives none', () => {
    const first = addSample([], progress);
    const second = addSample(first, { ...progress, done: 500, at: '1970-01-01T00:00:03.000Z' });
    expect(second.at(-1)?.perSecond).toBe(250);
  });

  it('take the server’s own rate when there is one', () => {
    expect(addSample([], { ...progress, per_second: 4100 })[0]?.perSecond).toBe(4100);
  });

  it('ignore an answer that tells nothing new', () => {
    const first = addSample([], progress);
    expect(addSample(first, progress)).toBe(first);
  });

  it('start a new curve when the next stage counts in another unit', () => {
    const first = addSample([], { ...progress, unit: 'bytes', done: 4_000 });
    const second = addSample(first, { ...progress, done: 10, at: '1970-01-01T00:00:02.000Z' });
    expect(second.map((sample) => sample.unit)).toEqual(['rows']);
  });

  it('never show a negative rate when a stage starts counting anew', () => {
    const first = addSample([], { ...progress, done: 900 });
    expect(addSample(first, { ...progress, done: 10, at: '1970-01-01T00:00:02.000Z' }).at(-1)?.perSecond).toBe(0);
  });
});

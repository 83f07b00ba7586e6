import { describe, expect, it } from 'vitest';
import { silenceOf } from './silence.ts';

const at = (seconds: number) => new Date(seconds * 1000).toISOString();
const run = { phase: 'active', updated_at: at(0), attempts: [], progress: null } as const;
const progress = { done: 1, total: null, unit: 'rows', per_second: null, eta_at: null };

describe('the silence of a worker', () => {
  it('is not worth a word at first', () => {
    expect(silenceOf({ ...run, attempts: [] }, 5_000)).toBeUndefined();
  });

  it('is said after a while, counted from the last sign of activity', () => {
    expect(silenceOf({ ...run, attempts: [], progress: { ...progress, at: at(10) } }, 30_000)).toBe(20_000);
  });

  it('means nothing when the run is not being worked on', () => {
    expect(silenceOf({ ...run, attempts: [], phase: 'waiting' }, 99_000)).toBeUndefined();
  });
});

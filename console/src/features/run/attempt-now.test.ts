import { describe, expect, it } from 'vitest';
import { attemptNow } from './attempt-now.ts';

const report = {
  stage: 'parse',
  state: 'active' as const,
  queued_at: null,
  started_at: null,
  finished_at: null,
  queue_wait_ms: null,
  work_ms: null,
};
const now = (phase: 'waiting' | 'active' | 'done', attempts: number, attempts_allowed: number | null) =>
  attemptNow({ phase, stage: phase === 'done' ? null : 'parse', stages: [{ ...report, attempts, attempts_allowed }] });

describe('the attempt a run is at', () => {
  it('is the one under way, or the one it waits for', () => {
    expect(now('active', 2, 6)).toBe('2 of 6');
    expect(now('waiting', 1, 6)).toBe('2 of 6');
  });

  it('has no end where nothing limits it, and is not said of a run that has ended', () => {
    expect(now('active', 7, null)).toBe('7');
    expect(now('done', 2, null)).toBeUndefined();
  });
});

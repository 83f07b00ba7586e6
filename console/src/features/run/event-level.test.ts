import { describe, expect, it } from 'vitest';
import { levelOf, oneLine } from './event-level.ts';

describe('the level of an event', () => {
  it('follows its type', () => {
    const level = (type: string) => levelOf({ type, data: {} });
    expect([level('run.completed'), level('run.taken_over'), level('run.failed'), level('worker.lost')]).toEqual([
      'info',
      'warning',
      'error',
      'error',
    ]);
  });

  it('is the one the event itself names, when it does', () => {
    expect(levelOf({ type: 'run.failed', data: { level: 'info' } })).toBe('info');
  });
});

describe('event data in one line', () => {
  it('keeps names with values and leaves out what is empty', () => {
    expect(oneLine({ stage: 'parse', rows: 812, error: null, outcomes: { inserted: 1 } })).toBe(
      'stage=parse  rows=812  outcomes={"inserted":1}',
    );
  });
});

import { describe, expect, it } from 'vitest';
import { runName } from './run-name.ts';

const run = { run_id: '0190a7a0-0000-7000-8000-0000d1ce5001', title: 'june.csv', source: 'manual', pipeline: 'steps' };

describe('the name of a run', () => {
  it('is its file, or its pipeline and the end of its id when it has none', () => {
    expect(runName(run)).toBe('june.csv');
    expect(runName({ ...run, title: null })).toBe('steps …d1ce5001');
  });

  it('says what a replay replays', () => {
    const replay = { ...run, source: 'replay', title: 'replay-0190.ndjson' };
    expect(runName(replay)).toBe('Replay of corrected rows');
    expect(runName({ ...replay, input: { filename: 'june.csv' } })).toBe('Replay of june.csv');
  });

  it('cannot be turned round by the file', () => {
    expect(runName({ ...run, title: 'a\u202Eb' })).toBe('a\ufffdb');
  });
});

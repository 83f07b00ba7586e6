import { describe, expect, it } from 'vitest';
import { CommitCounts } from './commit-counts.ts';
import type { StageRun } from './stage-context.ts';

const open = () => new CommitCounts({ id: 'r', attempt: 1, stage: 'work' } as StageRun);
const lost = { code: 'commits_lost' };

describe('the count of commits', () => {
  it('is taken over from the database at first, then expected to the number', () => {
    const counts = open();
    counts.noteRead('', 4);
    expect(counts.expected()).toBe('{"":4}');
    counts.start('');
    expect(counts.bounds('')).toEqual({ atLeast: 4, atMost: 4 });
    counts.succeeded('', 5);
    expect(() => counts.noteRead('', 4)).toThrow(expect.objectContaining(lost));
    expect(() => counts.noteRead('', 6)).toThrow(expect.objectContaining(lost));
    counts.noteRead('', 5);
  });

  it('accepts whatever is there for a part it was never told about', () => {
    const counts = open();
    counts.start('b');
    expect(counts.bounds('b')).toEqual({ atLeast: null, atMost: null });
    expect(counts.expected()).toBeNull();
  });

  it('leaves room for the other commits of one part that are under way, and for nobody else', () => {
    const counts = open();
    counts.noteRead('', 2);
    counts.start('');
    counts.start('');
    expect(counts.bounds('')).toEqual({ atLeast: 2, atMost: 3 });
    counts.succeeded('', 4);
    counts.succeeded('', 3);
    counts.start('');
    expect(counts.bounds('')).toEqual({ atLeast: 4, atMost: 4 });
  });

  it('decides a commit in doubt: counted, not counted, or not to be known', () => {
    const counts = open();
    counts.noteRead('', 2);
    counts.start('');
    expect(counts.contains('', 3, 3)).toBe(true);
    expect(counts.contains('', 3, 2)).toBe(false);
    // A failover has lost more than the commit in doubt.
    expect(() => counts.contains('', 3, 1)).toThrow(expect.objectContaining(lost));
    // Somebody else has committed.
    expect(() => counts.contains('', 3, 4)).toThrow(expect.objectContaining(lost));
    // Another commit of this part may be the one that was counted.
    counts.start('');
    expect(() => counts.contains('', 3, 3)).toThrow(expect.objectContaining(lost));
  });
});

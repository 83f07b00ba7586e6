import { describe, expect, it } from 'vitest';
import { outcomeClass, receiptBar } from './receipt-segments.ts';

const done = { phase: 'done', progress: null } as const;

describe('the receipt bar', () => {
  it('fills exactly when read equals the sum of outcomes', () => {
    const bar = receiptBar({ ...done, receipt: { read: 100, outcomes: { rejected: 10, inserted: 60, updated: 30 } } });
    expect(bar.balanced).toBe(true);
    expect(bar.segments.map(({ outcome, share }) => [outcome, share])).toEqual([
      ['inserted', 0.6],
      ['updated', 0.3],
      ['rejected', 0.1],
    ]);
  });

  it('shows rows that are not accounted for as a segment and says it does not add up', () => {
    const bar = receiptBar({ ...done, receipt: { read: 100, outcomes: { inserted: 88 } } });
    expect(bar.balanced).toBe(false);
    expect(bar.difference).toBe(12);
    expect(bar.segments.at(-1)).toEqual({ outcome: 'missing', count: 12, share: 0.12 });
  });

  it('never draws more than the whole when outcomes exceed what was read', () => {
    const bar = receiptBar({ ...done, receipt: { read: 10, outcomes: { inserted: 30 } } });
    expect(bar.balanced).toBe(false);
    expect(bar.difference).toBe(-20);
    expect(bar.segments[0]?.share).toBe(1);
  });

  it('keeps the rest pending while the run works, and judges nothing yet', () => {
    const bar = receiptBar({
      phase: 'active',
      receipt: { read: 20, outcomes: { inserted: 15, rejected: 5 } },
      progress: { done: 20, total: 80, unit: 'rows' },
    });
    expect(bar.balanced).toBeUndefined();
    expect(bar.segments.at(-1)).toEqual({ outcome: 'pending', count: 60, share: 0.75 });
  });

  it('shows rows that are through before it is known how they ended', () => {
    const bar = receiptBar({ phase: 'active', receipt: null, progress: { done: 20, total: 80, unit: 'rows' } });
    expect(bar.segments.map(({ outcome, count }) => [outcome, count])).toEqual([
      ['through', 20],
      ['pending', 60],
    ]);
  });

  it('does not take bytes for rows', () => {
    const bar = receiptBar({ phase: 'active', receipt: null, progress: { done: 9, total: 900, unit: 'bytes' } });
    expect(bar).toMatchObject({ read: 0, segments: [] });
  });

  it('puts outcomes it does not know before the rejected ones', () => {
    const bar = receiptBar({ ...done, receipt: { read: 3, outcomes: { rejected: 1, duplicate: 1, inserted: 1 } } });
    expect(bar.segments.map((segment) => segment.outcome)).toEqual(['inserted', 'duplicate', 'rejected']);
  });

  it('shows what failed in a job or was refused by a sync like rejected rows, and at the end', () => {
    const outcomes = { ERROR: 1, SKIPPED: 1, NOT_FOUND: 1, DONE: 1 };
    const bar = receiptBar({ ...done, receipt: { read: 4, outcomes } });
    expect(bar.segments.map((segment) => segment.outcome)).toEqual(['DONE', 'SKIPPED', 'NOT_FOUND', 'ERROR']);
    expect(['ERROR', 'refused'].map(outcomeClass)).toEqual(['out out-rejected', 'out out-rejected']);
    expect(new Set(['DONE', 'NOT_FOUND', 'SKIPPED', 'ERROR'].map(outcomeClass)).size).toBe(4);
  });
});

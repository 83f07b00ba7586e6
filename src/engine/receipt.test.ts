import { describe, expect, it } from 'vitest';
import { accountedFor, differences, emptyReceipt, isBalanced } from './receipt.ts';

describe('a receipt', () => {
  it('adds up when what was read equals the sum of its outcomes', () => {
    expect(isBalanced({ read: 5, outcomes: { inserted: 3, rejected: 2 } })).toBe(true);
    expect(isBalanced({ read: 5, outcomes: { inserted: 3, rejected: 1 } })).toBe(false);
    expect(isBalanced({ read: 1 })).toBe(false);
    expect(isBalanced(emptyReceipt)).toBe(true);
  });

  it('does not count set-aside lines and totals as items', () => {
    expect(isBalanced({ read: 1, outcomes: { inserted: 1 }, furniture: 4, spend: { file: 10, stored: 10 } })).toBe(
      true,
    );
    expect(accountedFor({ read: 9, outcomes: { inserted: 1, updated: 2 } })).toBe(3);
  });

  it('names every count on which it differs from a recount, in a sentence', () => {
    const written = { read: 5, outcomes: { inserted: 3, rejected: 2 } };
    const recounted = { read: 6, outcomes: { inserted: 3, updated: 1, rejected: 2 } };
    expect(differences(written, recounted)).toEqual(['read: receipt 5, recount 6', 'updated: receipt 0, recount 1']);
    expect(differences(written, written)).toEqual([]);
  });

  it('accounts for all of the file, and a recount names the tallies that differ', () => {
    const content = { bytes: { all: 10, header: 4, row: 6 } };
    const written = { read: 1, outcomes: { inserted: 1 }, content };
    expect(isBalanced(written)).toBe(true);
    expect(isBalanced({ ...written, content: { bytes: { all: 10, row: 6 } } })).toBe(false);
    expect(isBalanced({ ...written, content: { bytes: { all: 10, header: -1, row: 11 } } })).toBe(false);
    const recounted = { ...written, content: { bytes: { all: 10, title: 4, row: 6 } } };
    expect(differences(written, recounted)).toEqual([
      'bytes of header: receipt 4, recount 0',
      'bytes of title: receipt 0, recount 4',
    ]);
    // A run from before contents were counted.
    expect(differences({ read: 1, outcomes: { inserted: 1 } }, recounted)).toEqual([]);
  });
});

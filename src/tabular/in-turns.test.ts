import { describe, expect, it } from 'vitest';
import { inTurns } from './in-turns.ts';
import { startOfFile, TextRowBatch } from './row-batch.ts';

const batchOf = (rows: number) =>
  new TextRowBatch(
    { firstRow: 0, next: startOfFile, isLast: true },
    Array.from({ length: rows }, () => ({ line: 1, offset: 0, cells: [], fault: null, raw: () => '' })),
  );

describe('working in turns', () => {
  it.each([0, 1, 250, 251, 1_000])('hands over %i rows once each and in order', async (rows) => {
    const seen: number[] = [];
    let calls = 0;
    await inTurns(batchOf(rows), (from, to) => {
      calls += 1;
      for (let row = from; row < to; row++) seen.push(row);
    });
    expect(seen).toEqual(Array.from({ length: rows }, (_, row) => row));
    expect(calls).toBe(Math.max(1, Math.ceil(rows / 250)));
  });

  it('lets others have their turn between slices', async () => {
    const order: string[] = [];
    setImmediate(() => order.push('other'));
    await inTurns(batchOf(500), (from) => order.push(`from ${from}`));
    expect(order).toEqual(['from 0', 'other', 'from 250']);
  });
});

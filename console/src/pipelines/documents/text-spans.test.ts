import { describe, expect, it } from 'vitest';
import { spansOf } from './text-spans.ts';

const chunk = (id: string, ...ranges: [number, number][]) => ({
  chunk_id: id,
  boxes: ranges.map(([start, end]) => ({ page: 1, start, end })),
});

describe('spansOf', () => {
  it('covers the text exactly once, with the chunk of each range', () => {
    const text = 'Title\n\nFirst words.\n\nLast words.';
    const spans = spansOf({ page_no: 1, text, chunks: [chunk('b', [21, 32]), chunk('a', [0, 5], [7, 19])] });
    expect(spans).toEqual([
      { start: 0, end: 5, chunkId: 'a' },
      { start: 5, end: 7 },
      { start: 7, end: 19, chunkId: 'a' },
      { start: 19, end: 21 },
      { start: 21, end: 32, chunkId: 'b' },
    ]);
    expect(spans.map(({ start, end }) => text.slice(start, end)).join('')).toBe(text);
  });

  it('leaves out ranges of other pages and what lies beyond the text, and never marks a place twice', () => {
    const boxes = [{ page: 2, start: 0, end: 4 }];
    const chunks = [{ chunk_id: 'x', boxes }, chunk('y', [2, 99]), chunk('z', [0, 4])];
    expect(spansOf({ page_no: 1, text: 'abcdef', chunks })).toEqual([
      { start: 0, end: 4, chunkId: 'z' },
      { start: 4, end: 6, chunkId: 'y' },
    ]);
  });
});

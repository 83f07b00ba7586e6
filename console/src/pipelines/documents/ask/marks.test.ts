import { describe, expect, it } from 'vitest';
import { marksOf } from './marks.ts';

describe('marks in a text', () => {
  it('lose no character of what is shown, overlap or not', () => {
    const text = 'keep contracts for ten years';
    const pieces = marksOf(text, [
      { start: 5, end: 14 },
      { start: 10, end: 18 },
      { start: 90, end: 99 },
    ]);
    expect(pieces.map((piece) => piece.text).join('')).toBe(text);
    expect(pieces.filter(({ isMarked }) => isMarked).map((piece) => piece.text)).toEqual(['contracts', ' for']);
  });

  it('begin shortly before the first one where it stands far in', () => {
    const text = `${'word '.repeat(100)}needle and more`;
    const pieces = marksOf(text, [{ start: 500, end: 506 }]);
    expect(pieces[0]?.text).toBe('…');
    expect(pieces.find(({ isMarked }) => isMarked)?.text).toBe('needle');
    expect(pieces.map((piece) => piece.text).join('').length).toBeLessThan(150);
  });
});

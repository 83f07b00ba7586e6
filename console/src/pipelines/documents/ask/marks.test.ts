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

  it('begin where most different words stand together, not at the first that comes', () => {
    const text = `bit ${'word '.repeat(100)}the sticky bit of a directory`;
    const of = (word: string, from = 0) => ({
      start: text.indexOf(word, from),
      end: text.indexOf(word, from) + word.length,
    });
    const pieces = marksOf(text, [of('bit'), of('sticky'), of('bit', 10), of('directory')]);
    expect(pieces.filter(({ isMarked }) => isMarked).map((piece) => piece.text)).toEqual([
      'sticky',
      'bit',
      'directory',
    ]);
  });
});

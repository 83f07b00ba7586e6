import { expect, it } from 'vitest';
import { lengthOf, type Piece, piecesOf, rowAt } from './pieces.ts';

const piece = (rows: readonly string[], isLast = false): Piece<string> => ({ rows, isLast });

it('a view needs the pieces its first and its last row are in, and those between', () => {
  expect(piecesOf(0, 9, 10)).toEqual([0]);
  expect(piecesOf(8, 21, 10)).toEqual([0, 1, 2]);
  expect(piecesOf(-3, 0, 10)).toEqual([0]);
  expect(piecesOf(99_990, 99_999, 500)).toEqual([199]);
});

it('a row is found in its piece, and is missing while that piece is not here', () => {
  const pieces = new Map([[2, piece(['u', 'v'])]]);
  expect([rowAt(pieces, 4, 2), rowAt(pieces, 5, 2), rowAt(pieces, 3, 2)]).toEqual(['u', 'v', undefined]);
});

it('the length is what was counted until the last piece says it', () => {
  expect(lengthOf(new Map([[0, piece(['a', 'b'])]]), 100, 2)).toBe(100);
  expect(lengthOf(new Map([[3, piece(['x'], true)]]), 100, 2)).toBe(7);
  expect(lengthOf(new Map([[0, piece([], true)]]), 100, 2)).toBe(0);
});

it('rows that left the list meanwhile do not make it shorter than what is here', () => {
  expect(lengthOf(new Map([[0, piece(['a', 'b'])]]), 1, 2)).toBe(2);
});

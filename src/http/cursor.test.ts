import { describe, expect, it } from 'vitest';
import { isMoment, readCursor, shapes, writeCursor } from './cursor.ts';

const anything = /^[\s\S]{1,400}$/;

describe('a cursor', () => {
  it.each([
    [['9223372036854775807'], [shapes.integer]],
    [
      ['2024-02-29', '1'],
      [shapes.day, shapes.integer],
    ],
    [['2026-02-15T12:00:00.123456Z'], [shapes.moment]],
    [
      ['Übersicht 😀 "x"', '12345678901234567890'],
      [anything, anything],
    ],
  ])('of %j is read as it was written', (parts, of) => {
    expect(readCursor(writeCursor(...parts), ...of)).toEqual(parts);
  });

  it.each([
    ['a number beyond all ids', '9223372036854775808', shapes.integer],
    ['a day that no month has', '2023-02-29', shapes.day],
    ['a day of the year 0', '0000-01-01', shapes.day],
    ['a moment that no day has', '2026-02-15T24:30:00.000000Z', shapes.moment],
    ['a moment of the year 0', '0000-02-15T12:00:00.000000Z', shapes.moment],
    ['a text with a NUL', 'a\0b', anything],
    ['a text with half a character', 'a\ud800', anything],
  ])('with %s is none of ours: the database would refuse it, and that would look like our fault', (_, part, shape) => {
    expect(() => readCursor(writeCursor(part), shape)).toThrow(expect.objectContaining({ code: 'cursor_malformed' }));
  });

  it('has moments by the same rule as what a list is asked to show since', () => {
    expect(['2026-02-15T12:00:00.123456Z', '2026-02-15T24:30:00.000000Z', 'now'].map(isMoment)).toEqual([
      true,
      false,
      false,
    ]);
  });
});

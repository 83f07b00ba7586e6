// Words of a right-to-left line, and columns of vertical text, in the order in which they are read.
import { expect, it } from 'vitest';
import { isInside, isRightToLeft, readColumns, readRightToLeft, turnWords } from './reading-order.ts';

it.each([
  ['words', 'התקציב את לשנות', 'לשנות את התקציב'],
  ['the end of a sentence', '.התקציב לשנות', 'לשנות התקציב.'],
  ['words of another script between them', 'התקציב Millrace 2026 לשנות', 'לשנות Millrace 2026 התקציב'],
  ['words of another script at the end', '.Millrace 2026 לשנות', 'לשנות Millrace 2026.'],
  ['left-to-right text', 'Records are kept.', 'Records are kept.'],
])('%s of a line that was read from the left come in reading order', (_, seen, read) => {
  expect(turnWords(seen)).toBe(read);
});

it('lines keep their order, pieces of a line are read from the right', () => {
  const at = (text: string, x: number, y: number) => ({ text, x, y, width: 40, height: 10 });
  const items = [at('ב', 0, 0), at('א', 60, 0.5), at('ג', 60, 14), at('elsewhere', 60, 90)];
  const inside = items.filter((item) => isInside(item, { x: 0, y: 0, w: 100, h: 30 }));
  expect(readRightToLeft(inside)).toBe('א ב ג');
  const pieces = [at('וע', 40.5, 0), at('הו', 80, 0), at('דה', 0, 0)].map((item) => ({ ...item, fontSize: 10 }));
  expect(readRightToLeft(pieces), 'pieces that touch are one word').toBe('הוועדה');
  expect(
    readRightToLeft(pieces, (text) => text.toUpperCase()),
    'from the left where letters are',
  ).toBe('דהועהו');
  expect([isRightToLeft('לשנות את התקציב Millrace'), isRightToLeft('see לשנות in the list')]).toEqual([true, false]);
});

it('columns of ideographs are read from top to bottom and from right to left; spaced letters of a title are none', () => {
  const right = [...'委員会は来年度'];
  const left = [...'記録は十年間保'];
  const rows = right.map((letter, row) => ({
    ...{ text: `${left[row]} ${letter}`, x: 10, y: row * 11, width: 31, height: 10 },
  }));
  expect(readColumns(rows)).toBe('委員会は来年度記録は十年間保');
  expect(readColumns([{ text: '目 次', x: 10, y: 0, width: 31, height: 10 }])).toBeUndefined();
  expect(readColumns([{ text: 'Records are kept.', x: 10, y: 0, width: 90, height: 10 }])).toBeUndefined();
});

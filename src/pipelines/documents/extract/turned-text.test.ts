// Lines that stand on their side, letter by letter or as a whole, in the order in which they are read.
import { expect, it } from 'vitest';
import { readTurned } from './turned-text.ts';

/** Letters of a line from top to bottom, a space between words. */
const letters = (text: string, x: number, rotation = 90) =>
  [...text].flatMap((letter, at) =>
    letter === ' ' ? [] : [{ text: letter, x, y: at * 6, width: 12, height: 6, rotation }],
  );

it('a page without turned text has none', () => {
  expect(readTurned([{ text: 'Records are kept.', x: 0, y: 0, width: 90, height: 10 }])).toBeUndefined();
});

it('lines that are read downwards come from the right, their letters as words', () => {
  const upright = { text: 'upright', x: 200, y: 0, width: 40, height: 10, rotation: 0 };
  const found = readTurned([...letters('second line', 0), upright, ...letters('first line', 14)]);
  expect(found?.blocks.map(({ text }) => text)).toEqual(['first line second line']);
  expect(found?.upright).toEqual([upright]);
});

it('lines that are read upwards come from the left; what stands far away is a block of its own', () => {
  const line = (text: string, x: number) => ({ text, x, y: 10, width: 12, height: 200, rotation: 270 });
  const found = readTurned([line('two', 14), line('one', 0), line('far away', 300)]);
  expect(found?.blocks).toEqual([
    { text: 'one two', box: { x: 0, y: 10, w: 26, h: 200 } },
    { text: 'far away', box: { x: 300, y: 10, w: 12, h: 200 } },
  ]);
});

it('an item that goes on at the top of the next line is taken apart', () => {
  const word = (text: string, x: number, y: number) => ({ text, x, y, width: 12, height: 6 });
  const across = {
    text: 'dS',
    x: 0,
    y: 0,
    width: 26,
    height: 78,
    rotation: 90,
    words: [word('d', 0, 72), word('S', 14, 0)],
  };
  const found = readTurned([...letters('the last wor', 0), across, ...letters(' tart', 14)]);
  expect(found?.blocks.map(({ text }) => text)).toEqual(['Start the last word']);
});

it('lines upside down come from the bottom and read from the right', () => {
  const word = (text: string, x: number, y: number, width: number) => ({
    text,
    x,
    y,
    width,
    height: 12,
    rotation: 180,
  });
  const found = readTurned([word('tenth', 60, 40, 30), word('rule', 94, 40, 20), word('The', 98, 56, 16)]);
  expect(found?.blocks).toEqual([{ text: 'The rule tenth', box: { x: 60, y: 40, w: 54, h: 28 } }]);
});

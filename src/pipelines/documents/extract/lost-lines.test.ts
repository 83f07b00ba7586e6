// Lines of the text layer that the layout dropped come back where they stand.
import { expect, it } from 'vitest';
import { withLostLines } from './lost-lines.ts';
import type { Block } from './page.ts';

const line = (text: string, y: number) => ({ text, x: 50, y, width: 400, height: 10 });
const block = (text: string, y: number, h = 10): Block => ({ kind: 'paragraph', text, box: { x: 50, y, w: 400, h } });
const texts = (blocks: readonly Block[]) => blocks.map(({ text }) => text);

it('a line that stands in no block is put after the block around it, or the one above it', () => {
  const blocks = [block('password requisite one\npassword required two', 100, 60), block('The end of the page.', 300)];
  const items = [
    line('password requisite one', 100),
    line('# here is the fallback if no module succeeds', 120),
    line('password required two', 140),
    line('Between the two of them stands a lost sentence.', 200),
    line('The end of the page.', 300),
  ];
  expect(texts(withLostLines(blocks, items))).toEqual([
    'password requisite one\npassword required two',
    '# here is the fallback if no module succeeds',
    'Between the two of them stands a lost sentence.',
    'The end of the page.',
  ]);
});

it('a line of common words that other lines have too is missed by its pairs of words', () => {
  const blocks = [block('there is a line of the release for the archive and it is an extra one', 100)];
  const items = [line('there is a line of the release for the archive and it is an extra one', 100)];
  const lost = 'for an extra release of the archive there was one line and it never came';
  expect(texts(withLostLines(blocks, [...items, line(lost, 120)]))).toEqual([blocks[0]?.text, lost]);
});

it('a line whose words the lines below it have too is missed all the same', () => {
  const below = [
    'systemd starts the services',
    'that are listed in the default target file',
    'or other targets during boot',
  ];
  const lost = 'During boot systemd starts the other services or targets listed in the default file';
  const blocks = [block(below.join(' '), 120, 40)];
  const items = [line(lost, 100), ...below.map((text, at) => line(text, 120 + at * 12))];
  expect(texts(withLostLines(blocks, items))).toEqual([lost, blocks[0]?.text]);
});

it('a line that stands on the page twice is missed once', () => {
  const blocks = [block('Sum of all items', 100)];
  const twice = [line('Sum of all items', 100), line('Sum of all items', 200)];
  expect(texts(withLostLines(blocks, twice))).toEqual(['Sum of all items', 'Sum of all items']);
});

it('a word that the end of a line had cut is not lost, and nothing comes twice', () => {
  const blocks = [block('The packages are correctly signed by their maintainers.', 100, 22)];
  const items = [line('The packages are cor', 100), line('rectly signed by their maintainers.', 112)];
  expect(withLostLines(blocks, items)).toEqual(blocks);
});

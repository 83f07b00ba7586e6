// What repeats from page to page is a header or footer; what only looks alike is not.
import { expect, it } from 'vitest';
import { type Block, placeBlocks, type ReadPage, withoutText } from './page.ts';
import { markRunning } from './running-lines.ts';

function pages(count: number, edges: (pageNo: number) => readonly [string, string]): ReadPage[] {
  return Array.from({ length: count }, (_, at) => {
    const [top, bottom] = edges(at + 1);
    const blocks: Block[] = [top, `Text of page ${at + 1}.`, bottom].map((text) => ({ kind: 'paragraph', text }));
    return { ...withoutText(at + 1, ''), fate: 'text', reason: null, ...placeBlocks(blocks) };
  });
}
const kinds = (read: readonly ReadPage[]) =>
  new Set(read.map(({ blocks }) => blocks.map(({ kind }) => kind).join(' ')));

it('a header that stays, with numbers that stay, and a footer that counts the pages are left out of the chunks', () => {
  expect(kinds(markRunning(pages(8, (no) => [`Report 2024, version 3`, `Page ${no + 6} of 14`])))).toEqual(
    new Set(['running paragraph running']),
  );
});

it('a line with a number of its own on every page stays: it names what the page is about', () => {
  expect(kinds(markRunning(pages(8, (no) => [`Customer ${4711 + no * no * 13}`, `Page ${no}`])))).toEqual(
    new Set(['paragraph paragraph running']),
  );
});

it('four pages are too few to tell', () => {
  expect(kinds(markRunning(pages(4, () => ['Report', 'Confidential'])))).toEqual(
    new Set(['paragraph paragraph paragraph']),
  );
});

// What one reading of a page left out and another one found.
import type { ParsedPage } from '@llamaindex/liteparse';
import { expect, it } from 'vitest';
import { type Block, withinPage } from './page.ts';
import { withSecondLook } from './second-look.ts';

const piece = (text: string, y: number) => ({ text, x: 50, y, width: 200, height: 10 });
const pageOf = (lines: readonly string[]) =>
  ({ text: lines.join('\n'), textItems: lines.map((text, at) => piece(text, at * 12)) }) as unknown as ParsedPage;

it('a piece of text that only the second reading has is put beside those of the first', () => {
  const first = pageOf(['You may use a browser, through', ', ̀ ̀', "dhelp' or doccentral' commands."]);
  const lost = piece("dwww',", 12);
  const { text, textItems } = withSecondLook(first, [piece('You may use a', 0), lost, piece('browser, through', 0)]);
  expect(textItems).toEqual([...first.textItems, lost]);
  expect(text).toBe(`${first.text}\n${lost.text}`);
});

it('a second reading that only parts words and letters otherwise adds nothing', () => {
  const first = pageOf(['The official package of the office', 'has a file.']);
  const second = [piece('The oﬃ', 0), piece('cial package', 0), piece('of the oﬃce has a ﬁle.', 12)];
  expect(withSecondLook(first, second)).toBe(first);
});

it('a box ends at the edge of its page, and what stands beside the page has none', () => {
  const blocks: Block[] = [
    { kind: 'code', text: 'a line that runs over the edge', box: { x: 90, y: -3.2, w: 565.4, h: 100 } },
    { kind: 'paragraph', text: 'cut off', box: { x: 700, y: 20, w: 50, h: 10 } },
    { kind: 'paragraph', text: 'as it is', box: { x: 10, y: 20, w: 50, h: 10 } },
  ];
  expect(withinPage(blocks, { width: 612, height: 792 }).map(({ box }) => box)).toEqual([
    { x: 90, y: 0, w: 522, h: 96.8 },
    undefined,
    { x: 10, y: 20, w: 50, h: 10 },
  ]);
});

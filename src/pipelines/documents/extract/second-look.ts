// What the library left out in silence. Where pieces of text overlap (a mark over a letter, an arrow at the end of a line) it drops one of them, up to a
// whole line; when it is asked for the properties of its text as well, it cuts lines otherwise and drops others. In 1,300 pages of documentation
// either reading lost a few words, and no word was lost by both.
import type { ParsedPage } from '@llamaindex/liteparse';
import { wordsOf } from './page.ts';
import { isRightToLeft } from './reading-order.ts';

type Piece = ParsedPage['textItems'][number];

/** The page with the pieces of the second reading that hold words of which the first one knows nothing. */
export function withSecondLook(page: ParsedPage, second: readonly Piece[]): ParsedPage {
  // There the letters of a word may come in another order, and every word would be a new one.
  if (isRightToLeft(page.text)) return page;
  const known = joined(page.text);
  const found = second.filter(({ text }) => wordsOf(text).some((word) => !known.includes(joined(word))));
  if (found.length === 0) return page;
  return {
    ...page,
    text: [page.text, ...found.map(({ text }) => text)].join('\n'),
    textItems: [...page.textItems, ...found],
  };
}

/** Letters and numbers alone: the readings part words differently. */
function joined(text: string): string {
  return wordsOf(text.normalize('NFKC')).join('');
}

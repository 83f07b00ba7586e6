// Citations: a quote is where it is said to be, or it is not given. The text of the page decides, character by character; the boxes are those
// of the blocks the quote stands in.
import type { AnswerOf } from '../../../contract/api/client.ts';
import type { Queryable } from '../../../platform/database.ts';
import type { FoundChunk } from '../sql/read-found.ts';
import { type PageOfVersion, readPagesOf } from '../sql/read-pages-of.ts';

export type Citation = AnswerOf<'search.ask'>['citations'][number];

export interface Quotable {
  readonly chunk: FoundChunk;
  readonly text: string;
  readonly page: number;
}

/** In the order of `wanted`; undefined where the quote does not stand on the page. Numbers are given by the caller. */
export async function locateQuotes(
  db: Queryable,
  tenantId: string,
  wanted: readonly Quotable[],
): Promise<(Omit<Citation, 'number'> | undefined)[]> {
  const pages = await readPagesOf(
    db,
    tenantId,
    wanted.map(({ chunk, page }) => ({ versionId: chunk.doc_version_id, page })),
  );
  const byKey = new Map(pages.map((page) => [`${page.doc_version_id}:${page.page_no}`, page]));
  return wanted.map(({ chunk, text, page: pageNo }) => {
    const page = byKey.get(`${chunk.doc_version_id}:${pageNo}`);
    const place = page && findQuote(page.text, text);
    if (page === undefined || place === undefined) return undefined;
    return {
      chunk_id: chunk.chunk_id,
      doc_id: chunk.doc_id,
      doc_version_id: chunk.doc_version_id,
      version: chunk.version_no,
      title: chunk.title,
      unit: chunk.unit,
      page: pageNo,
      quote: page.text.slice(place.start, place.end),
      ...place,
      boxes: boxesOf(page, place, pageNo),
    };
  });
}

/** As it is, or with other white space between its words: a chunk joins lines that a page breaks. */
export function findQuote(page: string, quote: string): { start: number; end: number } | undefined {
  const at = page.indexOf(quote);
  if (at >= 0) return { start: at, end: at + quote.length };
  const words = quote.split(/\s+/).filter((word) => word !== '');
  if (words.length === 0) return undefined;
  const pattern = new RegExp(words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('\\s+'));
  const match = pattern.exec(page);
  return match === null ? undefined : { start: match.index, end: match.index + match[0].length };
}

function boxesOf(page: PageOfVersion, place: { start: number; end: number }, pageNo: number): Citation['boxes'] {
  const blocks = page.blocks.filter(({ start, end }) => start < place.end && end > place.start);
  const boxes = blocks.flatMap(({ box }) => (box === undefined || box === null ? [] : [{ page: pageNo, ...box }]));
  return boxes.length > 0 ? boxes : [{ page: pageNo, ...place }];
}

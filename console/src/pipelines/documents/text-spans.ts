// Cuts the text of a page where chunks begin and end, so that the range of each can be marked.
import type { PageText } from './show-document.ts';

export interface Span {
  readonly start: number;
  readonly end: number;
  /** Left out: text that stands in no chunk, as headers and footers. */
  readonly chunkId?: string;
}

type Spanned = Pick<PageText, 'page_no' | 'text'> & {
  readonly chunks: readonly Pick<PageText['chunks'][number], 'chunk_id' | 'boxes'>[];
};

export function spansOf({ page_no: pageNo, text, chunks }: Spanned): Span[] {
  const ranges = chunks
    .flatMap(({ chunk_id: chunkId, boxes }) =>
      boxes.flatMap(({ page, start, end }) =>
        page === pageNo && start !== undefined && end !== undefined ? [{ start, end, chunkId }] : [],
      ),
    )
    .sort((a, b) => a.start - b.start);
  const spans: Span[] = [];
  let at = 0;
  for (const { start, end, chunkId } of ranges) {
    const from = Math.max(at, start);
    const to = Math.min(text.length, end);
    if (to <= from) continue;
    if (from > at) spans.push({ start: at, end: from });
    spans.push({ start: from, end: to, chunkId });
    at = to;
  }
  if (at < text.length) spans.push({ start: at, end: text.length });
  return spans;
}

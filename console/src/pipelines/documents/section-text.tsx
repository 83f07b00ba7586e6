import type { ReactNode } from 'react';
import { inertLines } from './inert-lines.ts';
import type { Marking } from './marking.ts';
import type { PageText } from './show-document.ts';
import { spansOf } from './text-spans.ts';

/** The text of a page or section, as text: nothing in it is markup. The range of the chunk that is pointed at is marked. */
export function SectionText({ page, hot, onPoint }: Marking & { page: PageText }): ReactNode {
  if (page.text === '') return <p className="text-sm text-ink-2">It has no text.</p>;
  return (
    <div
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
      tabIndex={0}
      className="max-h-[75dvh] self-start overflow-y-auto rounded border border-line bg-raised p-4 text-sm wrap-anywhere whitespace-pre-wrap [unicode-bidi:plaintext]"
      dir="auto"
    >
      {spansOf(page).map(({ start, end, chunkId }) => {
        const words = inertLines(page.text.slice(start, end));
        if (chunkId === undefined) return <span key={start}>{words}</span>;
        const pointing = {
          onMouseEnter: () => onPoint(chunkId, 'page'),
          onMouseLeave: () => onPoint(undefined, 'page'),
        };
        return chunkId === hot ? (
          <mark key={start} className="rounded bg-water-soft text-ink outline-2 outline-water" {...pointing}>
            {words}
          </mark>
        ) : (
          <span key={start} {...pointing}>
            {words}
          </span>
        );
      })}
    </div>
  );
}

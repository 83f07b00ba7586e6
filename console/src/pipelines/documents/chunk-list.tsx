import { type ReactNode, useEffect, useRef } from 'react';
import { plural } from '../../ui/figures.ts';
import { inertText } from '../../ui/inert-text.ts';
import { EmptyState } from '../../ui/states.tsx';
import { inertLines } from './inert-lines.ts';
import type { Marking } from './marking.ts';
import type { PageChunk, PageText } from './show-document.ts';

interface Props extends Marking {
  readonly page: PageText;
  readonly unit: 'page' | 'section';
  /** The chunk was pointed at on the page: the list brings it into sight. */
  readonly follows: boolean;
}

export function ChunkList({ page, unit, follows, hot, onPoint }: Props): ReactNode {
  if (page.chunks.length === 0)
    return (
      <EmptyState icon="search" title={`Search does not use this ${unit}`}>
        <p>
          {page.fate === 'text' || page.fate === 'ocr'
            ? 'It has only text that repeats on each page.'
            : 'It has no text.'}
        </p>
      </EmptyState>
    );
  return (
    <ol
      aria-label={`Chunks of this ${unit}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
      tabIndex={0}
      className="flex max-h-[75dvh] flex-col gap-2 self-start overflow-y-auto"
    >
      {page.chunks.map((chunk) => (
        <Chunk
          key={chunk.chunk_id}
          chunk={chunk}
          pageNo={page.page_no}
          unit={unit}
          isHot={chunk.chunk_id === hot}
          follows={follows}
          onPoint={onPoint}
        />
      ))}
    </ol>
  );
}

interface ChunkProps {
  readonly chunk: PageChunk;
  readonly pageNo: number;
  readonly unit: 'page' | 'section';
  readonly isHot: boolean;
  readonly follows: boolean;
  readonly onPoint: Marking['onPoint'];
}

function Chunk({ chunk, pageNo, unit, isHot, follows, onPoint }: ChunkProps): ReactNode {
  const item = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (isHot && follows) item.current?.scrollIntoView({ block: 'nearest' });
  }, [isHot, follows]);
  return (
    <li>
      <button
        ref={item}
        type="button"
        data-chunk={chunk.chunk_no}
        data-hot={isHot || undefined}
        onMouseEnter={() => onPoint(chunk.chunk_id, 'list')}
        onMouseLeave={() => onPoint(undefined, 'list')}
        onFocus={() => onPoint(chunk.chunk_id, 'list')}
        onBlur={() => onPoint(undefined, 'list')}
        className="w-full cursor-default rounded-md border border-line bg-raised px-3 py-2 text-left data-hot:border-water data-hot:bg-water-soft"
      >
        <span className="flex flex-wrap justify-between gap-x-3 text-xs text-ink-2">
          <span>
            chunk {chunk.chunk_no + 1}
            {chunk.heading_path.length > 0 && ` · ${inertText(chunk.heading_path.join(' › '))}`}
          </span>
          <span className="figures">{plural(chunk.tokens, 'token')}</span>
        </span>
        {chunk.page_from !== chunk.page_to && (
          <span className="block text-xs text-warn">
            {chunk.page_from < pageNo ? `begins on ${unit} ${chunk.page_from}` : `goes on to ${unit} ${chunk.page_to}`}
          </span>
        )}
        <span
          dir="auto"
          className="mt-1 block text-start text-sm wrap-anywhere whitespace-pre-wrap [unicode-bidi:plaintext]"
        >
          {inertLines(chunk.text)}
        </span>
      </button>
    </li>
  );
}

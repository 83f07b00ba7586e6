import { type ReactNode, useState } from 'react';
import { urlOf } from '../../app/api.ts';
import { Button } from '../../ui/button.tsx';
import type { Marking } from './marking.ts';
import { SectionText } from './section-text.tsx';
import type { PageChunk, PageText } from './show-document.ts';

interface Props extends Marking {
  readonly docId: string;
  readonly version: number;
  readonly page: PageText;
}

const dpi = 110;

/** The page as it looks, with a box around each block of each chunk. Where it cannot be drawn, its text stands here. */
export function PageImage({ docId, version, page, hot, onPoint }: Props): ReactNode {
  const [tries, setTries] = useState(0);
  const [isMissing, setMissing] = useState(false);
  const params = { doc_id: docId, version, page_no: page.page_no };
  if (isMissing)
    return (
      <div className="flex flex-col gap-2">
        <p role="status" className="flex items-center justify-between gap-3 text-sm text-ink-2">
          The image of this page cannot be shown; this is its text.
          <Button
            small
            icon="replay"
            onClick={() => {
              setTries(tries + 1);
              setMissing(false);
            }}
          >
            Try again
          </Button>
        </p>
        <SectionText page={page} hot={hot} onPoint={onPoint} />
      </div>
    );
  const { width, height } = page;
  return (
    <div
      className="page-sheet relative self-start overflow-hidden rounded border border-line-strong"
      style={width && height ? { aspectRatio: `${width} / ${height}` } : undefined}
    >
      <img
        key={tries}
        src={urlOf('documents.page-image', { params, query: { dpi } })}
        alt={`Page ${page.page_no} as it looks`}
        onError={() => setMissing(true)}
        className="block w-full"
      />
      {width !== null &&
        height !== null &&
        page.chunks.map((chunk) => (
          <Boxes
            key={chunk.chunk_id}
            chunk={chunk}
            page={{ number: page.page_no, width, height }}
            isHot={chunk.chunk_id === hot}
            onPoint={onPoint}
          />
        ))}
    </div>
  );
}

function Boxes({
  chunk,
  page,
  isHot,
  onPoint,
}: {
  chunk: PageChunk;
  page: { number: number; width: number; height: number };
  isHot: boolean;
  onPoint: Marking['onPoint'];
}): ReactNode {
  const share = (value: number | undefined, of: number) => `${((value ?? 0) / of) * 100}%`;
  return chunk.boxes
    .filter(({ page: number, w }) => number === page.number && w !== undefined)
    .map((box) => (
      // biome-ignore lint/a11y/noStaticElementInteractions: by keyboard the same is done in the list of chunks
      <div
        key={`${box.x}:${box.y}:${box.w}:${box.h}`}
        data-chunk={chunk.chunk_no}
        data-hot={isHot || undefined}
        className="page-box"
        style={{
          left: share(box.x, page.width),
          top: share(box.y, page.height),
          width: share(box.w, page.width),
          height: share(box.h, page.height),
        }}
        onMouseEnter={() => onPoint(chunk.chunk_id, 'page')}
        onMouseLeave={() => onPoint(undefined, 'page')}
      />
    ));
}

// A page with what was quoted drawn on it: small in a list of citations, large when one is opened. A document without pages shows its text.
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { urlOf } from '../../../app/api.ts';
import { LoadingLines, ProblemNote } from '../../../ui/states.tsx';
import { inertLines } from '../inert-lines.ts';
import { type PageText, pageQuery } from '../show-document.ts';
import type { Citation } from './asking.ts';

export type Place = Pick<Citation, 'doc_id' | 'version' | 'page' | 'unit' | 'boxes'> & {
  readonly start?: number;
  readonly end?: number;
};

const dpis = { small: 48, large: 120 } as const;
/** Text around a quote in a thumbnail, where there is no image: little before it, so that the quote itself is in sight. */
const BEFORE = 30;
const AFTER = 160;

export function CitedPage({ place, size }: { place: Place; size: keyof typeof dpis }): ReactNode {
  const page = useQuery(pageQuery({ docId: place.doc_id, version: place.version }, place.page));
  const [isMissing, setMissing] = useState(false);
  if (page.isPending) return <LoadingLines lines={size === 'small' ? 3 : 10} label={`Loading page ${place.page}`} />;
  if (page.isError)
    return size === 'small' ? (
      <p className="p-2 text-xs text-ink-2">This page is gone.</p>
    ) : (
      <ProblemNote error={page.error} onRetry={() => void page.refetch()} />
    );
  if (place.unit === 'section' || isMissing) return <QuotedText page={page.data} place={place} size={size} />;
  const params = { doc_id: place.doc_id, version: place.version, page_no: place.page };
  const { width, height } = page.data;
  return (
    <span
      className="page-sheet relative block overflow-hidden"
      style={width && height ? { aspectRatio: `${width} / ${height}` } : undefined}
    >
      <img
        src={urlOf('documents.page-image', { params, query: { dpi: dpis[size] } })}
        alt={`Page ${place.page} as it looks`}
        loading="lazy"
        onError={() => setMissing(true)}
        className="block w-full"
      />
      {width !== null && height !== null && <Boxes place={place} width={width} height={height} />}
    </span>
  );
}

/** A page that is known already is there before the dialog around it is open, and nothing can be scrolled into sight in a closed one. */
function onceShown(show: () => void): () => void {
  const frame = requestAnimationFrame(show);
  return () => cancelAnimationFrame(frame);
}

function Boxes({ place, width, height }: { place: Place; width: number; height: number }): ReactNode {
  const first = useRef<HTMLSpanElement>(null);
  useEffect(
    () =>
      onceShown(() => {
        const box = first.current;
        const clip = box?.closest<HTMLElement>('[data-clip]');
        // A thumbnail shows the part of the page that was quoted; the page around the thumbnail stays where it is.
        if (box && clip) clip.scrollTop = box.offsetTop - clip.clientHeight / 3;
        else box?.scrollIntoView({ block: 'center' });
      }),
    [],
  );
  const share = (value: number | undefined, of: number) => `${((value ?? 0) / of) * 100}%`;
  return place.boxes
    .filter(({ page, w }) => page === place.page && w !== undefined)
    .map((box, index) => (
      <span
        key={`${box.x}:${box.y}:${box.w}:${box.h}`}
        ref={index === 0 ? first : undefined}
        data-hot
        className="page-box"
        style={{
          left: share(box.x, width),
          top: share(box.y, height),
          width: share(box.w, width),
          height: share(box.h, height),
        }}
      />
    ));
}

function QuotedText({ page, place, size }: { page: PageText; place: Place; size: keyof typeof dpis }): ReactNode {
  const { text } = page;
  const quote = useRef<HTMLElement>(null);
  // A section may be longer than the window it is shown in: what was quoted is in sight.
  useEffect(() => {
    if (size !== 'large') return undefined;
    return onceShown(() => quote.current?.scrollIntoView({ block: 'center' }));
  }, [size]);
  const [first] = place.boxes.filter(({ page: number, start }) => number === place.page && start !== undefined);
  const start = place.start ?? first?.start ?? 0;
  const end = place.end ?? first?.end ?? start;
  const from = size === 'small' ? Math.max(0, start - BEFORE) : 0;
  const to = size === 'small' ? Math.min(text.length, end + AFTER) : text.length;
  return (
    <span
      dir="auto"
      className={`block p-2 text-left wrap-anywhere whitespace-pre-wrap ${size === 'small' ? 'max-h-40 overflow-hidden text-xs' : 'text-sm'}`}
    >
      {from > 0 && '…'}
      {inertLines(text.slice(from, start))}
      <mark ref={quote} className="rounded bg-water-soft text-ink outline-2 outline-water">
        {inertLines(text.slice(start, end))}
      </mark>
      {inertLines(text.slice(end, to))}
      {to < text.length && '…'}
    </span>
  );
}

import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { plural } from '../../ui/figures.ts';
import { inertText } from '../../ui/inert-text.ts';
import { Moment } from '../../ui/moment.tsx';
import { EmptyState, LoadingLines, ProblemNote } from '../../ui/states.tsx';
import { inertLines } from './inert-lines.ts';
import { changesQuery, type DocumentVersion } from './show-document.ts';

interface Props {
  readonly docId: string;
  /** Newest first. */
  readonly versions: readonly DocumentVersion[];
  readonly shown: DocumentVersion;
  readonly onChoose: (version: number) => void;
}

/** Slides through the versions; each says what it changed. Nothing to slide when there is one. */
export function VersionSlider({ docId, versions, shown, onChoose }: Props): ReactNode {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  if (versions.length < 2) return null;
  const oldestFirst = versions.toReversed();
  const at = oldestFirst.findIndex(({ version }) => version === shown.version);
  const { changes } = shown;
  return (
    <section aria-label="Versions" className="card flex flex-col gap-2 px-4 py-3 text-sm">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <label htmlFor={id} className="label">
          Version
        </label>
        <input
          id={id}
          type="range"
          min={0}
          max={oldestFirst.length - 1}
          step={1}
          value={at}
          aria-valuetext={`${shown.version_label}${shown.is_active ? ', served' : ''}`}
          onChange={(event) => onChoose(oldestFirst[Number(event.target.value)]?.version ?? shown.version)}
          className="min-h-6 w-40"
        />
        <span>
          <strong>{shown.version_label}</strong> of {versions.length}
          {shown.is_active ? ', active' : ', inactive'} · made <Moment at={shown.created_at} />
        </span>
        {changes && (
          <span className="text-ink-2">
            {plural(changes.added, 'chunk')} added, {changes.removed} removed, {changes.kept} kept
          </span>
        )}
        {changes && changes.added + changes.removed > 0 && (
          <Button small aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? 'Hide what changed' : 'Show what changed'}
          </Button>
        )}
      </div>
      {isOpen && changes && <Changes docId={docId} version={shown.version} unit={shown.unit} />}
    </section>
  );
}

function Changes({
  docId,
  version,
  unit,
}: {
  docId: string;
  version: number;
  unit: DocumentVersion['unit'];
}): ReactNode {
  const pages = useInfiniteQuery(changesQuery({ docId, version }));
  if (pages.isPending) return <LoadingLines lines={3} />;
  if (pages.isError) return <ProblemNote error={pages.error} onRetry={() => void pages.refetch()} />;
  const changes = pages.data.pages.flatMap((page) => page.data);
  if (changes.length === 0) return <EmptyState icon="check" title="No chunk changed" />;
  return (
    <>
      <ul className="flex max-h-96 flex-col gap-2 overflow-y-auto" aria-label="Changed chunks">
        {changes.map((chunk) => {
          const isNew = chunk.change === 'added';
          return (
            <li
              key={chunk.chunk_id}
              className={`rounded-md border-l-4 px-3 py-2 ${isNew ? 'border-good bg-good-soft' : 'border-bad bg-bad-soft'}`}
            >
              <p className="text-xs font-medium">
                {isNew ? '+ added' : '− removed'}, {unit} {chunk.page_from}
                {chunk.heading_path.length > 0 && ` · ${inertText(chunk.heading_path.join(' › '))}`}
              </p>
              <p className="text-xs wrap-anywhere whitespace-pre-wrap">{inertLines(chunk.text)}</p>
            </li>
          );
        })}
      </ul>
      {pages.hasNextPage && (
        <Button small busy={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
          Show more
        </Button>
      )}
    </>
  );
}

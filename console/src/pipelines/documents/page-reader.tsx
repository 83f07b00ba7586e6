// One page of a version: its image (or its text, where there is no image) left, its chunks right. Pointing at one marks the other.
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { count } from '../../ui/figures.ts';
import { inertText } from '../../ui/inert-text.ts';
import { Panel } from '../../ui/page.tsx';
import { LoadingLines, ProblemNote } from '../../ui/states.tsx';
import { ChunkList } from './chunk-list.tsx';
import { PageFixes } from './page-fixes.tsx';
import { PageImage } from './page-image.tsx';
import { SectionText } from './section-text.tsx';
import { type DocumentVersion, type PageText, pageQuery, troubledPagesQuery } from './show-document.ts';

interface Props {
  readonly docId: string;
  readonly version: DocumentVersion;
  readonly page: number;
  readonly onPage: (page: number) => void;
}

export function PageReader({ docId, version, page, onPage }: Props): ReactNode {
  const place = { docId, version: version.version };
  const text = useQuery(pageQuery(place, page));
  const word = version.unit === 'page' ? 'Page' : 'Section';
  return (
    <Panel
      title={`${word} ${count(page)} of ${count(version.pages)}`}
      aside={<Turning word={word} page={page} last={version.pages} onPage={onPage} />}
    >
      <TroubledPages docId={docId} version={version} page={page} onPage={onPage} />
      {text.isPending && <LoadingLines lines={10} label={`Loading ${word.toLowerCase()} ${page}`} />}
      {text.isError && <ProblemNote error={text.error} onRetry={() => void text.refetch()} />}
      {text.data && <Sheet key={page} docId={docId} version={version} page={text.data} />}
    </Panel>
  );
}

function Sheet({ docId, version, page }: { docId: string; version: DocumentVersion; page: PageText }): ReactNode {
  const [hot, setHot] = useState<{ chunkId: string; from: 'page' | 'list' }>();
  const marking = {
    hot: hot?.chunkId,
    onPoint: (chunkId: string | undefined, from: 'page' | 'list') =>
      setHot(chunkId === undefined ? undefined : { chunkId, from }),
  };
  return (
    <>
      <PageFixes docId={docId} version={version} page={page} />
      <div className="grid grid-cols-1 gap-4 p-4 lg:grid-cols-2">
        {version.unit === 'page' ? (
          <PageImage docId={docId} version={version.version} page={page} {...marking} />
        ) : (
          <SectionText page={page} {...marking} />
        )}
        <ChunkList page={page} unit={version.unit} follows={hot?.from === 'page'} {...marking} />
      </div>
    </>
  );
}

function Turning({
  word,
  page,
  last,
  onPage,
}: {
  word: string;
  page: number;
  last: number;
  onPage: (page: number) => void;
}): ReactNode {
  const [typed, setTyped] = useState(String(page));
  useEffect(() => setTyped(String(page)), [page]);
  const go = () => {
    const wanted = Number(typed);
    if (Number.isInteger(wanted) && wanted >= 1 && wanted <= last) onPage(wanted);
    else setTyped(String(page));
  };
  return (
    <form
      className="flex items-center gap-1"
      onSubmit={(event) => {
        event.preventDefault();
        go();
      }}
    >
      <Button small disabled={page <= 1} aria-label={`${word} before`} onClick={() => onPage(page - 1)}>
        ‹
      </Button>
      <input
        aria-label={`Number of the ${word.toLowerCase()}`}
        inputMode="numeric"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={go}
        className="control min-h-6! w-14 text-center text-xs!"
      />
      <Button small disabled={page >= last} aria-label={`Next ${word.toLowerCase()}`} onClick={() => onPage(page + 1)}>
        ›
      </Button>
    </form>
  );
}

/** Pages that were not simply read: the way to what needs a person, in a document of whatever length. */
function TroubledPages({ docId, version, page, onPage }: Props): ReactNode {
  const none = version.ocr_pages + version.empty_pages + version.rejected_pages === 0;
  const pages = useQuery({ ...troubledPagesQuery({ docId, version: version.version }), enabled: !none });
  if (none || !pages.data) return null;
  return (
    <nav
      aria-label="Pages that need attention"
      className="flex flex-wrap items-center gap-1.5 border-b border-line px-4 py-2"
    >
      <span className="label">need attention</span>
      {pages.data.data.map((each) => (
        <button
          key={each.page_no}
          type="button"
          aria-current={each.page_no === page ? 'true' : undefined}
          title={each.reason === null ? undefined : inertText(each.reason)}
          onClick={() => onPage(each.page_no)}
          className="chip"
        >
          {each.page_no} · {each.fate}
        </button>
      ))}
      {pages.data.next !== null && <span className="text-xs text-ink-2">and more</span>}
    </nav>
  );
}

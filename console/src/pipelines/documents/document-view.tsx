// A document: what is served of it, its versions, and one page with the chunks that stand on it.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { runQuery } from '../../features/run/show-run.ts';
import { Icon } from '../../ui/icons.tsx';
import { inertText } from '../../ui/inert-text.ts';
import { Moment } from '../../ui/moment.tsx';
import { EmptyState, LoadingLines, ProblemNote } from '../../ui/states.tsx';
import { RunNow } from './being-read.tsx';
import { DocumentHeader } from './document-header.tsx';
import type { Place } from './document-search.ts';
import { PageReader } from './page-reader.tsx';
import { type DocumentDetail, type DocumentVersion, documentQuery } from './show-document.ts';
import { VersionSlider } from './version-slider.tsx';

interface Props {
  readonly docId: string;
  readonly place: Place;
  readonly onGo: (place: Place) => void;
  /** Shown first: the version this run has made. */
  readonly runId?: string;
}

export function DocumentView({ docId, place, onGo, runId }: Props): ReactNode {
  const document = useQuery(documentQuery(docId));
  if (document.isPending) return <LoadingLines lines={8} />;
  if (document.isError) return <ProblemNote error={document.error} onRetry={() => void document.refetch()} />;
  const { versions, live_run: live, last_failure: failure } = document.data;
  const shown = versionAt(versions, place.version, runId);
  return (
    <div className="flex flex-col gap-4">
      <DocumentHeader document={document.data} shown={shown} />
      {live && <LiveRun live={live} hasVersion={shown !== undefined} />}
      {failure && !live && <LastFailure failure={failure} hasVersion={shown !== undefined} />}
      {shown === undefined && !live && (
        <EmptyState icon="file" title="It has no version">
          <p>The run that should have made one failed. Retry that run, or upload the file again.</p>
        </EmptyState>
      )}
      {shown !== undefined && (
        <>
          <VersionSlider
            docId={docId}
            versions={versions}
            shown={shown}
            onChoose={(version) => onGo({ ...place, version })}
          />
          <PageReader
            key={shown.version}
            docId={docId}
            version={shown}
            page={Math.min(place.page ?? 1, Math.max(1, shown.pages))}
            onPage={(page) => onGo({ ...place, page })}
          />
        </>
      )}
    </div>
  );
}

function versionAt(
  versions: readonly DocumentVersion[],
  wanted: number | undefined,
  runId: string | undefined,
): DocumentVersion | undefined {
  return (
    versions.find(({ version }) => version === wanted) ??
    versions.find(({ run_id }) => run_id === runId) ??
    versions.find(({ is_active: isActive }) => isActive) ??
    versions[0]
  );
}

/** Why the newest run made no version, and the way to it, where it is retried. The version that is served stays. */
function LastFailure({
  failure,
  hasVersion,
}: {
  failure: NonNullable<DocumentDetail['last_failure']>;
  hasVersion: boolean;
}): ReactNode {
  return (
    <div
      role="status"
      className="flex flex-wrap items-center gap-x-2 gap-y-1 rounded-md border border-bad bg-bad-soft px-4 py-2"
    >
      <Icon name="warn" className="text-bad" />
      <Link to="/r/$runId" params={{ runId: failure.run_id }} className="link font-medium">
        {hasVersion ? 'The last run of this document failed' : 'Its run failed'}
      </Link>
      <span className="wrap-anywhere">{inertText(failure.message)}</span>
      <span className="text-ink-2">
        <Moment at={failure.at} />
      </span>
    </div>
  );
}

/** What works on the document now. The version that is served stays until it is done. */
function LiveRun({
  live,
  hasVersion,
}: {
  live: NonNullable<DocumentDetail['live_run']>;
  hasVersion: boolean;
}): ReactNode {
  const run = useQuery(runQuery(live.run_id));
  return (
    <div
      role="status"
      className="flex flex-wrap items-center gap-2 rounded-md border border-water bg-water-soft px-4 py-2"
    >
      <Icon name="clock" className="text-water" />
      <Link to="/r/$runId" params={{ runId: live.run_id }} className="link font-medium">
        {hasVersion ? 'A new version is being made' : 'It is being read'}
      </Link>
      {run.data && <RunNow run={run.data} />}
    </div>
  );
}

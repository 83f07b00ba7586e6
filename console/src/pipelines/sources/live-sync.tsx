// What the newest sync of a source is doing, asks, or failed with.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Asked } from '../../features/run/question-card.tsx';
import { runQuery } from '../../features/run/show-run.ts';
import { count, howFar, plural } from '../../ui/figures.ts';
import { Moment } from '../../ui/moment.tsx';
import { LoadingLines, ProblemNote } from '../../ui/states.tsx';
import type { Source, SourceSync } from './list-sources.ts';
import { isCalledOff } from './sync-strip.tsx';

export function LiveSync({ source }: { source: Source }): ReactNode {
  return (
    <>
      <QueueTrouble source={source} />
      <ShutDirectories source={source} />
      <NewestSync source={source} />
    </>
  );
}

/** Files come later than they could: somebody should know. */
function QueueTrouble({ source }: { source: Source }): ReactNode {
  const { queue_failing_since: since, queue_error_code: code } = source;
  if (since === null) return null;
  return (
    <p className="rounded-md border border-warn px-3 py-2 text-sm">
      <span className="text-warn">Millrace cannot read its queue</span> since <Moment at={since} />
      {code !== null && (
        <>
          {' '}
          (<code>{code}</code>)
        </>
      )}
      . Objects come with the next sync. Check the queue’s address and the right to receive from it.
    </p>
  );
}

/** The sync went on without them; until they can be listed, nothing that is gone is noticed. */
function ShutDirectories({ source }: { source: Source }): ReactNode {
  if (source.last_error_code !== 'source_directory_shut') return null;
  const sync = source.syncs.find(({ counts, finished_at: endedAt }) => endedAt !== null && (counts?.unlisted ?? 0) > 0);
  return (
    <p className="rounded-md border border-warn px-3 py-2 text-sm">
      <span className="text-warn">
        {sync === undefined ? 'Directories' : plural(sync.counts?.unlisted ?? 0, 'directory', 'directories')} could not
        be listed.
      </span>{' '}
      What was taken from there stays as it is, and nothing counts as vanished until the credential may list them or an
      exclude pattern leaves them out.
      {sync !== undefined && (
        <>
          {' '}
          <Link
            to="/operate/sources/$sourceId"
            params={{ sourceId: source.source_id }}
            search={{ sync: sync.sync_id }}
            className="link"
          >
            Show which
          </Link>
        </>
      )}
    </p>
  );
}

function NewestSync({ source }: { source: Source }): ReactNode {
  const [newest] = source.syncs;
  if (newest === undefined) return null;
  if (newest.held) return <Question sync={newest} sourceId={source.source_id} />;
  if (newest.finished_at === null) return <AtWork sync={newest} />;
  if (newest.status === 'failed' && !isCalledOff(newest)) return <Failed sync={newest} sourceId={source.source_id} />;
  return null;
}

const counted = ['seen', 'new', 'changed', 'unchanged', 'refused', 'vanished'] as const;

/** The counts as they grow. */
function AtWork({ sync }: { sync: SourceSync }): ReactNode {
  const run = useQuery(runQuery(sync.sync_id)).data;
  const isWaiting = sync.started_at === null;
  return (
    <section
      aria-label="Running sync"
      className="flex flex-wrap items-baseline gap-x-4 gap-y-1 rounded-md border border-water bg-water-soft px-3 py-2 text-sm"
    >
      <Link to="/r/$runId" params={{ runId: sync.sync_id }} className="link font-medium">
        {isWaiting ? 'Waiting for a worker' : 'Syncing now'}
      </Link>
      {sync.counts &&
        counted.map((name) => (
          <span key={name} className="whitespace-nowrap">
            <span className="figures">{count(sync.counts?.[name] ?? 0)}</span> {name}
          </span>
        ))}
      {run?.progress && run.progress.unit !== 'objects' && (
        <span className="text-xs text-ink-2">{howFar(run.progress)}</span>
      )}
      {run?.wait && <span className="text-xs text-ink-2">{run.wait.text}</span>}
    </section>
  );
}

/** Much has vanished at once: the sync waits, and nothing is taken away. */
function Question({ sync, sourceId }: { sync: SourceSync; sourceId: string }): ReactNode {
  const run = useQuery(runQuery(sync.sync_id));
  if (run.isPending) return <LoadingLines lines={2} />;
  if (run.isError) return <ProblemNote error={run.error} onRetry={() => void run.refetch()} />;
  if (run.data.question === null)
    return (
      <p className="text-sm text-warn">
        <Link to="/r/$runId" params={{ runId: sync.sync_id }} className="link">
          This sync is held
        </Link>
      </p>
    );
  return <Asked runId={sync.sync_id} question={run.data.question} refresh={['operate', 'sources', sourceId]} />;
}

function Failed({ sync, sourceId }: { sync: SourceSync; sourceId: string }): ReactNode {
  const run = useQuery(runQuery(sync.sync_id)).data;
  return (
    <div role="alert" className="rounded-md border border-bad bg-bad-soft px-3 py-2 text-sm">
      <p>{run?.error?.message ?? 'The last sync failed.'}</p>
      {run?.error?.next && <p className="text-ink-2">{run.error.next}</p>}
      <p className="mt-1 flex flex-wrap gap-3 text-xs text-ink-2">
        <code className="figures">{sync.error_code}</code>
        <Link to="/r/$runId" params={{ runId: sync.sync_id }} className="link">
          Open this sync
        </Link>
        <Link to="/operate/sources/$sourceId/change" params={{ sourceId }} className="link">
          Change the source
        </Link>
      </p>
    </div>
  );
}

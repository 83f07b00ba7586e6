import { queryOptions, useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { call, type Run } from '../../app/api.ts';
import { runQuery } from '../../features/run/show-run.ts';
import { howFar } from '../../ui/figures.ts';
import { Icon } from '../../ui/icons.tsx';
import { inertText } from '../../ui/inert-text.ts';
import { Panel } from '../../ui/page.tsx';
import { StatePill } from '../../ui/state-pill.tsx';
import { beingReadQuery, documentsKey, notReadQuery } from './list-documents.ts';

/** Files that have no version yet: each waits, with the reason, or is being read. Gone when there is none. */
export function BeingRead(): ReactNode {
  const queries = useQueryClient();
  const runs = useQuery(beingReadQuery).data?.data ?? [];
  const ids = runs.map(({ run_id }) => run_id).join();
  // A document that left the list has become a version, or has failed.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of the ids is the reason
  useEffect(() => {
    void queries.invalidateQueries({ queryKey: documentsKey });
  }, [ids, queries]);
  if (runs.length === 0) return null;
  return (
    <Panel title="Being read">
      <ul className="divide-y divide-line text-sm">
        {runs.map((run) => (
          <li key={run.run_id} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2">
            <StatePill status={run.status} phase={run.phase} held={run.held !== null} />
            <Link to="/r/$runId" params={{ runId: run.run_id }} className="link min-w-0 truncate">
              {inertText(run.title ?? run.run_id)}
            </Link>
            <RunNow run={run} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

const RECENT_MS = 24 * 3_600_000;

/**
 * Runs of the last day that failed and were not made good since: neither retried, nor followed by another run of the same document. Each with the
 * reason and the way to its run, where it is retried. Gone when there is none.
 */
export function NotRead(): ReactNode {
  const since = Date.now() - RECENT_MS;
  const failed = (useQuery(notReadQuery).data?.data ?? []).filter(
    ({ finished_at: at, retried_as: retry }) => retry === null && at !== null && Date.parse(at) > since,
  );
  const newest = useQueries({ queries: failed.map(({ run_id: runId }) => newestFailureQuery(runId)) });
  const runs = failed.filter((run, at) => newest[at]?.data === run.run_id);
  if (runs.length === 0) return null;
  return (
    <Panel
      title="Not read"
      aside={
        <Link to="/runs" search={{ pipeline: 'documents', phase: 'failed' }} className="link text-xs">
          All failed runs
        </Link>
      }
    >
      <ul className="divide-y divide-line text-sm">
        {runs.map((run) => (
          <li key={run.run_id} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2">
            <StatePill status={run.status} phase={run.phase} held={false} />
            <Link to="/r/$runId" params={{ runId: run.run_id }} className="link min-w-0 truncate">
              {inertText(run.title ?? run.run_id)}
            </Link>
            <span className="wrap-anywhere text-ink-2">failed: {inertText(run.error?.message ?? 'see its run')}</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** The run by which the document of this run failed last; null when a newer one has made it good. */
function newestFailureQuery(runId: string) {
  return queryOptions({
    queryKey: [...documentsKey, 'newest failure', runId],
    queryFn: async ({ signal }) => {
      const { input } = await call('runs.show', { params: { run_id: runId }, signal });
      const { last_failure: last } = await call('documents.show', { params: { doc_id: String(input.doc_id) }, signal });
      return last?.run_id ?? null;
    },
  });
}

/** Why it waits, or how far it is. */
export function RunNow({ run }: { run: Pick<Run, 'run_id' | 'phase' | 'progress'> }): ReactNode {
  const isWaiting = run.phase === 'waiting';
  const detail = useQuery({ ...runQuery(run.run_id), enabled: isWaiting });
  if (isWaiting)
    return (
      <span className="flex items-center gap-1 text-ink-2">
        <Icon name="clock" />
        {detail.data?.wait?.code === 'no_worker' ? 'waiting for a worker: ' : ''}
        {detail.data?.wait?.text ?? 'waiting for a worker'}
      </span>
    );
  return <span className="text-ink-2">{run.progress ? howFar(run.progress) : 'a worker is processing it'}</span>;
}

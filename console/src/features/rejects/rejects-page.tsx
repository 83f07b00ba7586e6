import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type RunDetail, urlOf } from '../../app/api.ts';
import { buttonClass } from '../../ui/button.tsx';
import { count } from '../../ui/figures.ts';
import { Icon } from '../../ui/icons.tsx';
import { EmptyState, LoadingLines, ProblemNote } from '../../ui/states.tsx';
import { exactly } from '../../ui/tabs.ts';
import { runQuery } from '../run/show-run.ts';
import { ClusterList } from './cluster-list.tsx';
import { type Cluster, clustersQuery } from './list-clusters.ts';
import { RejectGrid } from './reject-grid.tsx';
import { type RejectSearch, type Show, shows } from './reject-search.ts';
import { ReplayBar } from './replay-bar.tsx';
import { ReuploadButton } from './reupload-button.tsx';

const route = getRouteApi('/shell/r/$runId/rejects');

/** Causes left, rows right: fix, replay, watch them turn green. */
export function RejectsPage(): ReactNode {
  const { runId } = route.useParams();
  const search = route.useSearch();
  const { data: run } = useSuspenseQuery(runQuery(runId));
  const clusters = useQuery(clustersQuery(runId));
  if (clusters.isPending) return <LoadingLines lines={8} label="Loading the rejects" />;
  if (clusters.isError) return <ProblemNote error={clusters.error} onRetry={() => void clusters.refetch()} />;
  const all = clusters.data.data;
  if (all.length === 0) return <NoRejects run={run} />;
  const corrected = all.reduce((sum, cluster) => sum + cluster.corrected, 0);
  const shown = all.filter((cluster) => search.cluster === undefined || cluster.cluster === search.cluster);
  return (
    <div className="grid grid-cols-1 gap-4 lg:grid-cols-[19rem_minmax(0,1fr)]">
      <ClusterList runId={runId} clusters={all} search={search} />
      <div className="flex min-w-0 flex-col gap-3">
        <ReplayBar runId={runId} corrected={corrected} search={search} />
        <Toolbar run={run} clusters={shown} search={search} />
        <RejectGrid
          key={`${search.cluster}:${search.show}`}
          run={run}
          search={search}
          total={totalOf(shown, search.show)}
          leads={shown.flatMap(({ column }) => column ?? [])}
        />
      </div>
    </div>
  );
}

function totalOf(clusters: readonly Cluster[], show: Show | undefined): number {
  return clusters.reduce((sum, cluster) => sum + (show ? cluster[show] : cluster.count), 0);
}

const words: Record<Show, string> = { open: 'Open', corrected: 'Corrected', replayed: 'Replaying', resolved: 'Stored' };

function Toolbar({
  run,
  clusters,
  search,
}: {
  run: RunDetail;
  clusters: readonly Cluster[];
  search: RejectSearch;
}): ReactNode {
  const params = { runId: run.run_id };
  const { show, ...rest } = search;
  return (
    <div className="flex flex-wrap items-center gap-2">
      <nav aria-label="Which rows" className="flex flex-wrap gap-1">
        <Link to="/r/$runId/rejects" params={params} search={rest} activeOptions={exactly} className="chip">
          All {count(totalOf(clusters, undefined))}
        </Link>
        {shows.map((each) => (
          <Link
            key={each}
            to="/r/$runId/rejects"
            params={params}
            search={{ ...rest, show: each }}
            activeOptions={exactly}
            className="chip"
          >
            {words[each]} {count(totalOf(clusters, each))}
          </Link>
        ))}
      </nav>
      <div className="ml-auto flex flex-wrap gap-2">
        <a
          href={urlOf('rejects.download', { params: { run_id: run.run_id }, query: { cluster: search.cluster } })}
          download
          className={buttonClass('plain', true)}
          title="The refused rows with row, code and message added. Correct them in a spreadsheet and upload the file again."
        >
          <Icon name="download" /> Download CSV
        </a>
        <ReuploadButton run={run} />
      </div>
    </div>
  );
}

function NoRejects({ run }: { run: RunDetail }): ReactNode {
  const running = run.phase === 'waiting' || run.phase === 'active';
  if (running)
    return (
      <EmptyState icon="clock" title="No row has been refused so far">
        The run has not ended; refused rows appear here as they are found.
      </EmptyState>
    );
  if (run.phase === 'failed' || run.phase === 'dead')
    return (
      <EmptyState icon="warn" title="No single row was refused">
        {run.error?.message ?? 'The run failed as a whole.'}
      </EmptyState>
    );
  return (
    <EmptyState icon="check" title="No row was refused">
      Every row of the file is stored or accounted for.
    </EmptyState>
  );
}

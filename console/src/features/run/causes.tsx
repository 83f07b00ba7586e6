// Why rows were refused, on the first page of a run, and how replays of them ended.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { RunDetail } from '../../app/api.ts';
import { count, plural } from '../../ui/figures.ts';
import { inertText } from '../../ui/inert-text.ts';
import { Panel } from '../../ui/page.tsx';
import { StatePill } from '../../ui/state-pill.tsx';
import { LoadingLines, ProblemNote } from '../../ui/states.tsx';
import { type Cluster, clustersQuery } from '../rejects/list-clusters.ts';

const shownCauses = 5;

export function Causes({ run }: { run: RunDetail }): ReactNode {
  const clusters = useQuery({ ...clustersQuery(run.run_id), enabled: run.rejects.total > 0 });
  if (run.rejects.total === 0) return null;
  const open = run.rejects.open ?? run.rejects.total;
  return (
    <Panel
      title="Why rows were refused"
      aside={open === 0 ? 'all of them fixed' : `${count(open)} of ${plural(run.rejects.total, 'row')} still open`}
    >
      {clusters.isPending && <LoadingLines lines={3} label="Loading the causes" />}
      {clusters.isError && <ProblemNote error={clusters.error} onRetry={() => void clusters.refetch()} />}
      {clusters.data && <CauseList run={run} clusters={clusters.data.data} />}
      <Replays run={run} />
    </Panel>
  );
}

function CauseList({ run, clusters }: { run: RunDetail; clusters: readonly Cluster[] }): ReactNode {
  const largest = [...clusters].sort((a, b) => b.open - a.open || b.count - a.count);
  const more = largest.length - shownCauses;
  const params = { runId: run.run_id };
  return (
    <ul className="divide-y divide-line">
      {largest.slice(0, shownCauses).map((cluster) => (
        <li key={cluster.cluster}>
          <Link
            to="/r/$runId/rejects"
            params={params}
            search={{ cluster: cluster.cluster }}
            className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 px-4 py-2 hover:bg-sunken/60"
          >
            <span className={`figures font-medium ${cluster.open > 0 ? 'text-bad' : 'text-good'}`}>
              {cluster.open > 0 ? plural(cluster.open, 'row') : `✓ ${plural(cluster.count, 'row')}`}
            </span>
            <span className="min-w-0 flex-1 basis-60 wrap-anywhere">
              {cluster.column && <span className="figures text-xs">{inertText(cluster.column)} </span>}
              {inertText(cluster.message)}
            </span>
            <span className="text-xs text-ink-2">
              {cluster.fix ? inertText(cluster.fix.label) : examplesOf(cluster)}
            </span>
          </Link>
        </li>
      ))}
      {more > 0 && (
        <li className="px-4 py-2 text-sm">
          <Link to="/r/$runId/rejects" params={params} search={{}} className="link">
            {plural(more, 'more cause')}
          </Link>
        </li>
      )}
    </ul>
  );
}

function examplesOf({ examples }: Cluster): string {
  const values = examples.slice(0, 2).map(({ value }) => (value ? `“${inertText(value)}”` : '(empty)'));
  return values.join(' · ');
}

/** After a replay the original says where its rows went. */
function Replays({ run: { replays } }: { run: RunDetail }): ReactNode {
  if (replays.length === 0) return null;
  return (
    <ul aria-label="Replays" className="border-t border-line px-4 py-2 text-sm">
      {replays.map((replay) => (
        <li key={replay.run_id} className="flex flex-wrap items-center gap-x-2 gap-y-1 py-0.5">
          <StatePill status={replay.status} phase={replay.phase} refused={replay.refused} />
          <span>{fateOf(replay)}</span>
          <Link to="/r/$runId" params={{ runId: replay.run_id }} className="link figures text-xs">
            run …{replay.run_id.slice(-8)}
          </Link>
        </li>
      ))}
    </ul>
  );
}

function fateOf({ rows, refused, phase }: RunDetail['replays'][number]): string {
  const taken = `${plural(rows, 'refused row')} ${rows === 1 ? 'was' : 'were'} replayed`;
  if (phase === 'waiting' || phase === 'active')
    return `${plural(rows, 'refused row')} ${rows === 1 ? 'is' : 'are'} on the way`;
  if (phase !== 'done') return `${taken}, and the replay failed`;
  if (refused === 0) return `${taken} and accepted`;
  return refused >= rows ? `${taken} and refused again` : `${taken}; ${count(refused)} of them refused again`;
}

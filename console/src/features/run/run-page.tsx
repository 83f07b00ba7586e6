// The run page: header, receipt, and below them one of its views. Clicking a segment of the receipt changes the view.
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, Outlet } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { hasCode, type RunDetail } from '../../app/api.ts';
import { pipelinesQuery } from '../../app/list-pipelines.ts';
import { runPartsOf } from '../../pipelines/all.ts';
import { shortCount } from '../../ui/figures.ts';
import { usePageTitle } from '../../ui/page.tsx';
import { EmptyState, LoadingLines, ProblemNote } from '../../ui/states.tsx';
import { TabBar } from '../../ui/tab-bar.tsx';
import { tabClass } from '../../ui/tabs.ts';
import { QuestionCard } from './question-card.tsx';
import { ReceiptPanel } from './receipt-panel.tsx';
import { RunHeader } from './run-header.tsx';
import { runQuery } from './show-run.ts';

const route = getRouteApi('/shell/r/$runId');
const viewNames = { rejects: 'Rejects', rows: 'Rows', reading: 'Reading', mapping: 'Mapping' } as const;

export function RunPage(): ReactNode {
  const { runId } = route.useParams();
  const run = useQuery(runQuery(runId));
  usePageTitle(run.data ? `${run.data.title ?? 'Run'} · ${run.data.status}` : 'Run');
  if (hasCode(run.error, 'run_not_found', 'request_invalid'))
    return (
      <EmptyState icon="search" title="There is no such run" page>
        <p>It may belong to another tenant, or its address is not complete.</p>
        <Link to="/runs" className="link">
          All runs
        </Link>
      </EmptyState>
    );
  if (run.isPending) return <LoadingLines lines={10} label="Loading the run" />;
  if (!run.data) return <ProblemNote error={run.error} onRetry={() => void run.refetch()} />;
  return (
    <div className="mx-auto flex w-full max-w-[90rem] flex-1 flex-col gap-4 px-4 py-4 md:px-6">
      <RunHeader run={run.data} />
      <QuestionCard key={runId} run={run.data} />
      <ReceiptPanel run={run.data} />
      <Views run={run.data} />
      <Outlet />
    </div>
  );
}

function Views({ run }: { run: RunDetail }): ReactNode {
  const params = { runId: run.run_id };
  const pipelines = useQuery(pipelinesQuery);
  const { views, tabs = [] } = runPartsOf(run.pipeline);
  const takesFiles =
    run.file !== null ||
    (pipelines.data?.data.some((each) => each.name === run.pipeline && each.accepts.length > 0) ?? false);
  return (
    <TabBar label="Views of the run">
      <Link to="/r/$runId" params={params} activeOptions={{ exact: true }} className={tabClass}>
        Progress
      </Link>
      {tabs
        .filter(({ isShown }) => isShown?.(run) ?? true)
        .map(({ to, label }) => (
          <Link key={to} to={to.replace('$runId', run.run_id)} className={tabClass}>
            {label}
          </Link>
        ))}
      {views
        .filter((view) => view === 'rejects' || takesFiles)
        .map((view) => (
          <Link
            key={view}
            to={`/r/$runId/${view}`}
            params={params}
            search={{}}
            activeOptions={{ includeSearch: false }}
            className={tabClass}
          >
            {viewNames[view]} {view === 'rejects' && <OpenRejects run={run} />}
          </Link>
        ))}
      <Link to="/r/$runId/details" params={params} className={tabClass}>
        Details
      </Link>
    </TabBar>
  );
}

function OpenRejects({ run: { rejects } }: { run: RunDetail }): ReactNode {
  if (rejects.total === 0) return null;
  const open = rejects.open ?? rejects.total;
  return (
    <span
      className={`figures ml-0.5 rounded-full px-1.5 text-xs ${open > 0 ? 'bg-bad-soft text-bad' : 'bg-good-soft text-good'}`}
    >
      {open > 0 ? shortCount(open) : '✓'}
    </span>
  );
}

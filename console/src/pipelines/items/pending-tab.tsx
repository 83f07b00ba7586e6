// The pending items of one job, the one that has waited longest first.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { runQuery } from '../../features/run/show-run.ts';
import { inertText } from '../../ui/inert-text.ts';
import { Moment } from '../../ui/moment.tsx';
import { Panel } from '../../ui/page.tsx';
import { LoadingLines, ProblemNote } from '../../ui/states.tsx';
import { jobOfRun, pendingOfJobQuery, textOf } from './list-items.ts';
import { PendingTable } from './pending-table.tsx';
import { ReprocessPending } from './reprocess-pending.tsx';

const route = getRouteApi('/shell/r/$runId/pending');

export function PendingTab(): ReactNode {
  const { runId } = route.useParams();
  const run = useQuery(runQuery(runId));
  if (run.isError) return <ProblemNote error={run.error} />;
  if (run.data === undefined) return <LoadingLines lines={6} />;
  return <PendingList jobId={jobOfRun(run.data)} />;
}

function PendingList({ jobId }: { jobId: string }): ReactNode {
  const [selected, setSelected] = useState<ReadonlyMap<string, string>>(new Map());
  const pages = useInfiniteQuery(pendingOfJobQuery(jobId));
  if (pages.isPending) return <LoadingLines lines={6} />;
  if (pages.isError) return <ProblemNote error={pages.error} onRetry={() => void pages.refetch()} />;
  const items = pages.data.pages.flatMap(({ data }) => data);
  return (
    <Panel title="Pending items" aside={<ReprocessPending selected={selected} onDone={() => setSelected(new Map())} />}>
      <PendingTable
        items={items}
        jobOf={() => jobId}
        before={[
          { title: 'Row', className: 'figures', cell: ({ row_index: row }) => row + 1 },
          {
            title: 'First cell',
            className: 'max-w-64 truncate',
            cell: ({ input }) => inertText(textOf(Object.values(input).find((text) => text !== ''))),
          },
        ]}
        after={[{ title: 'Next attempt', cell: ({ next_attempt_at: at }) => (at === null ? '–' : <Moment at={at} />) }]}
        selected={selected}
        onSelect={setSelected}
        pages={pages}
      />
    </Panel>
  );
}

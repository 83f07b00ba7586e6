// The pending items of one job, the one that has waited longest first.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { runQuery } from '../../features/run/show-run.ts';
import { inertText } from '../../ui/inert-text.ts';
import { Moment } from '../../ui/moment.tsx';
import { Panel } from '../../ui/page.tsx';
import { EmptyState, LoadingLines, ProblemNote } from '../../ui/states.tsx';
import { Cell, Row, Table } from '../../ui/table.tsx';
import { jobOfRun, pendingOfJobQuery, textOf } from './list-items.ts';
import { ReprocessPending, toggled } from './reprocess-pending.tsx';
import { ScrollOn } from './scroll-on.tsx';
import { StatusWord } from './status-word.tsx';

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
      {items.length === 0 ? (
        <EmptyState icon="wave" title="Nothing is pending" />
      ) : (
        <Table
          label="Pending items"
          head={['Item', 'Row', 'First cell', 'Status', 'Attempts', 'Locked by', 'Next attempt', 'Changed']}
        >
          {items.map((item) => (
            <Row key={item.id}>
              <Cell className="figures">
                <input
                  type="checkbox"
                  aria-label={`Select item ${item.id}`}
                  checked={selected.has(item.id)}
                  onChange={() => setSelected(toggled(selected, item.id, jobId))}
                />{' '}
                {item.id}
              </Cell>
              <Cell className="figures">{item.row_index + 1}</Cell>
              <Cell className="max-w-64 truncate">
                {inertText(textOf(Object.values(item.input).find((text) => text !== '')))}
              </Cell>
              <Cell>
                <StatusWord status={item.status} />
              </Cell>
              <Cell className="figures">{item.attempts}</Cell>
              <Cell className="max-w-40 truncate">{inertText(item.locked_by ?? '–')}</Cell>
              <Cell>{item.next_attempt_at === null ? '–' : <Moment at={item.next_attempt_at} />}</Cell>
              <Cell>{item.updated_at === null ? '–' : <Moment at={item.updated_at} />}</Cell>
            </Row>
          ))}
        </Table>
      )}
      <ScrollOn
        hasMore={pages.hasNextPage}
        isBusy={pages.isFetchingNextPage}
        onMore={() => void pages.fetchNextPage()}
      />
    </Panel>
  );
}

// The pending items of all jobs: of one's own, or of everybody for admins.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { meQuery } from '../../app/session.ts';
import { Button } from '../../ui/button.tsx';
import { count } from '../../ui/figures.ts';
import { inertText } from '../../ui/inert-text.ts';
import { Moment } from '../../ui/moment.tsx';
import { Panel } from '../../ui/page.tsx';
import { EmptyState, LoadingLines, ProblemNote } from '../../ui/states.tsx';
import { Cell, Row, Table } from '../../ui/table.tsx';
import { type PendingFilter, pendingQuery } from './list-items.ts';
import { PendingFilters } from './pending-filters.tsx';
import { ReprocessPending, toggled } from './reprocess-pending.tsx';
import { ScrollOn } from './scroll-on.tsx';
import { StatusWord } from './status-word.tsx';

export function PendingPage(): ReactNode {
  const me = useQuery(meQuery);
  const [filter, setFilter] = useState<PendingFilter>({ userId: 'me' });
  const [selected, setSelected] = useState<ReadonlyMap<string, string>>(new Map());
  const pages = useInfiniteQuery(pendingQuery(filter));
  const items = pages.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <Panel
      title="Pending items"
      aside={
        <span className="flex flex-wrap items-center justify-end gap-3">
          <ReprocessPending selected={selected} onDone={() => setSelected(new Map())} />
          {pages.data && <span>about {count(pages.data.pages[0]?.pending_count ?? 0)} pending</span>}
          <Button small icon="replay" onClick={() => void pages.refetch()}>
            Look again
          </Button>
        </span>
      }
    >
      <PendingFilters filter={filter} onFilter={setFilter} isAdmin={me.data?.role === 'admin'} />
      {pages.isError ? (
        <ProblemNote error={pages.error} onRetry={() => void pages.refetch()} />
      ) : pages.isPending ? (
        <LoadingLines lines={6} />
      ) : items.length === 0 ? (
        <EmptyState icon="wave" title="Nothing is pending" />
      ) : (
        <Table
          label="Pending items"
          head={['Item', 'Job', 'Title or brand', 'Status', 'Attempts', 'Locked by', 'Changed', 'Kind']}
        >
          {items.map((item) => (
            <Row key={item.id}>
              <Cell className="figures">
                <input
                  type="checkbox"
                  aria-label={`Select item ${item.id}`}
                  checked={selected.has(item.id)}
                  onChange={() => setSelected(toggled(selected, item.id, item.jobId))}
                />{' '}
                {item.id}
              </Cell>
              <Cell>
                <Link to="/r/$runId/items" params={{ runId: item.jobId }} search={{}} className="link figures">
                  Go to job
                </Link>
              </Cell>
              <Cell className="max-w-72 truncate">
                {inertText(item.inputSummary.title ?? item.inputSummary.brand ?? item.inputSummary.sku ?? '–')}
              </Cell>
              <Cell>
                <StatusWord status={item.status} />
              </Cell>
              <Cell className="figures">{item.attempts}</Cell>
              <Cell className="max-w-40 truncate">{inertText(item.locked_by ?? '–')}</Cell>
              <Cell>
                <Moment at={item.updated_at} />
              </Cell>
              <Cell>{item.job_type ?? '–'}</Cell>
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

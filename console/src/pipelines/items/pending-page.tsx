// The pending items of all jobs: of one's own, or of everybody for admins.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { meQuery } from '../../app/session.ts';
import { Button } from '../../ui/button.tsx';
import { count } from '../../ui/figures.ts';
import { inertText } from '../../ui/inert-text.ts';
import { Panel } from '../../ui/page.tsx';
import { LoadingLines, ProblemNote } from '../../ui/states.tsx';
import { type PendingFilter, pendingQuery } from './list-items.ts';
import { PendingFilters } from './pending-filters.tsx';
import { PendingTable } from './pending-table.tsx';
import { ReprocessPending } from './reprocess-pending.tsx';

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
            Refresh
          </Button>
        </span>
      }
    >
      <PendingFilters filter={filter} onFilter={setFilter} isAdmin={me.data?.role === 'admin'} />
      {pages.isError ? (
        <ProblemNote error={pages.error} onRetry={() => void pages.refetch()} />
      ) : pages.isPending ? (
        <LoadingLines lines={6} />
      ) : (
        <PendingTable
          items={items}
          jobOf={({ jobId }) => jobId}
          before={[
            {
              title: 'Job',
              cell: ({ jobId }) => (
                <Link to="/r/$runId/items" params={{ runId: jobId }} search={{}} className="link figures">
                  Go to job
                </Link>
              ),
            },
            {
              title: 'Title or brand',
              className: 'max-w-72 truncate',
              cell: ({ inputSummary: { title, brand, sku } }) => inertText(title ?? brand ?? sku ?? '–'),
            },
          ]}
          after={[{ title: 'Kind', cell: ({ job_type: kind }) => kind ?? '–' }]}
          selected={selected}
          onSelect={setSelected}
          pages={pages}
        />
      )}
    </Panel>
  );
}

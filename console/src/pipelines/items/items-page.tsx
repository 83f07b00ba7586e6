// The grid of a job: every row with its fate, filtered, selected, corrected and processed again; live while the job is at work.
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useMemo, useState } from 'react';
import { itemStatuses } from '../../../../src/contract/pipelines/items/item-statuses.ts';
import { call } from '../../app/api.ts';
import { runQuery } from '../../features/run/show-run.ts';
import { Button } from '../../ui/button.tsx';
import { count } from '../../ui/figures.ts';
import { Panel } from '../../ui/page.tsx';
import { LoadingLines, ProblemNote } from '../../ui/states.tsx';
import type { GridSearch } from './grid-search.ts';
import { ItemPanel } from './item-panel.tsx';
import { ItemsGrid } from './items-grid.tsx';
import { JobActions } from './job-actions.tsx';
import { changesQuery, gridQuery, type Item, isLive, type Job, jobOfRun, jobQuery } from './list-items.ts';

const route = getRouteApi('/shell/r/$runId/items');

export function ItemsPage(): ReactNode {
  const { runId } = route.useParams();
  const run = useQuery(runQuery(runId));
  const jobId = run.data === undefined ? '' : jobOfRun(run.data);
  const job = useQuery({ ...jobQuery(jobId), enabled: jobId !== '' });
  if (run.isError || job.isError) return <ProblemNote error={run.error ?? job.error} />;
  if (job.data === undefined) return <LoadingLines lines={8} />;
  return <JobGrid job={job.data} />;
}

function JobGrid({ job }: { job: Job }): ReactNode {
  const search = route.useSearch();
  const client = useQueryClient();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [open, setOpen] = useState<string | undefined>();
  const pages = useInfiniteQuery(gridQuery(job.jobId, search));
  const since = pages.data?.pages[0]?.as_of ?? '';
  const changes = useQuery(changesQuery(job.jobId, since, isLive(job)));
  const rows = useMemo(
    () => withChanges(pages.data?.pages.flatMap(({ data }) => data) ?? [], changes.data?.data ?? []),
    [pages.data, changes.data],
  );
  const reprocess = useMutation({
    mutationFn: () =>
      call('jobs.reprocess', { params: { job_id: job.jobId }, body: { scope: 'items', itemIds: [...selected] } }),
    onSuccess: () => {
      setSelected(new Set());
      void client.invalidateQueries({ queryKey: ['items', job.jobId] });
    },
  });
  return (
    <Panel
      title="Items"
      aside={
        <span className="flex flex-wrap items-center gap-2">
          <Filters job={job} search={search} />
          {selected.size > 0 && (
            <Button small look="main" icon="replay" busy={reprocess.isPending} onClick={() => reprocess.mutate()}>
              Reprocess {count(selected.size)} selected
            </Button>
          )}
          <JobActions job={job} />
        </span>
      }
    >
      {reprocess.isError && <ProblemNote error={reprocess.error} />}
      {pages.isError ? (
        <ProblemNote error={pages.error} onRetry={() => void pages.refetch()} />
      ) : pages.isPending ? (
        <LoadingLines lines={8} />
      ) : (
        <ItemsGrid
          job={job}
          rows={rows}
          selected={selected}
          onSelect={setSelected}
          onOpen={setOpen}
          onEnd={() => {
            if (pages.hasNextPage && !pages.isFetchingNextPage) void pages.fetchNextPage();
          }}
        />
      )}
      {open !== undefined && (
        <ItemPanel jobId={job.jobId} itemId={open} columns={job.input_columns} onClose={() => setOpen(undefined)} />
      )}
    </Panel>
  );
}

function withChanges(rows: readonly Item[], changes: readonly Item[]): Item[] {
  const news = new Map(changes.map((item) => [item.id, item]));
  return rows.map((item) => news.get(item.id) ?? item);
}

function Filters({ job, search }: { job: Job; search: GridSearch }): ReactNode {
  const navigate = useNavigate({ from: '/r/$runId/items' });
  const go = (change: GridSearch & { status?: GridSearch['status'] | undefined }) =>
    void navigate({ search: { ...search, ...change } as GridSearch, replace: true });
  const counts: Partial<Record<string, number>> = {
    DONE: job.done_items,
    NOT_FOUND: job.not_found_items,
    ERROR: job.error_items,
    SKIPPED: job.skipped_items,
  };
  return (
    <>
      <select
        aria-label="Status"
        className="control min-h-7! text-xs!"
        value={search.status ?? ''}
        onChange={({ target }) => {
          const { status: _, ...others } = search;
          void navigate({
            search: target.value === '' ? others : { ...others, status: target.value as GridSearch['status'] & string },
            replace: true,
          });
        }}
      >
        <option value="">every status</option>
        {itemStatuses.map((status) => (
          <option key={status} value={status}>
            {status}
            {counts[status] === undefined ? '' : ` (${count(counts[status] ?? 0)})`}
          </option>
        ))}
      </select>
      <input
        type="search"
        aria-label="Text in any cell"
        placeholder="find text"
        defaultValue={search.text ?? ''}
        className="control min-h-7! w-40 text-xs!"
        onKeyDown={(event) => {
          if (event.key === 'Enter') go({ text: event.currentTarget.value });
        }}
      />
    </>
  );
}

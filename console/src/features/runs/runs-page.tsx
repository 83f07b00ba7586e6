import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState, LoadingLines, ProblemNote } from '../../ui/states.tsx';
import { BulkBar } from './bulk-bar.tsx';
import { FilterBar } from './filter-bar.tsx';
import { HealthStrip } from './health-strip.tsx';
import { runsQuery } from './list-runs.ts';
import { isFiltered, type RunFilters } from './run-filters.ts';
import { RunRow, RunRowHead } from './run-row.tsx';
import { SavedFilters } from './saved-filters-bar.tsx';
import { useListKeys } from './use-list-keys.ts';

const route = getRouteApi('/shell/runs');

export function RunsPage(): ReactNode {
  const filters = route.useSearch();
  const search = useRef<HTMLInputElement>(null);
  return (
    <Page title="Runs" lead={<HealthStrip />}>
      <FilterBar filters={filters} searchRef={search} />
      <SavedFilters filters={filters} />
      <RunList filters={filters} search={search} />
    </Page>
  );
}

function RunList({
  filters,
  search,
}: {
  filters: RunFilters;
  search: React.RefObject<HTMLInputElement | null>;
}): ReactNode {
  const navigate = useNavigate();
  const pages = useInfiniteQuery(runsQuery(filters));
  const runs = pages.data?.pages.flatMap((page) => page.data) ?? [];
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const toggle = useCallback((runId: string | undefined) => {
    if (runId === undefined) return;
    setSelected((before) => {
      const after = new Set(before);
      if (!after.delete(runId)) after.add(runId);
      return after;
    });
  }, []);
  const current = useListKeys({
    length: runs.length,
    search,
    onOpen: (index) => {
      const run = runs[index];
      if (run) void navigate({ to: '/r/$runId', params: { runId: run.run_id } });
    },
    onToggle: (index) => toggle(runs[index]?.run_id),
  });
  const currentId = runs[current]?.run_id;
  useEffect(() => {
    if (currentId)
      document.querySelector(`[data-run="${CSS.escape(currentId)}"]`)?.scrollIntoView({ block: 'nearest' });
  }, [currentId]);

  if (pages.isPending) return <LoadingLines lines={8} label="Loading runs" />;
  if (pages.isError) return <ProblemNote error={pages.error} onRetry={() => void pages.refetch()} />;
  if (runs.length === 0) return <NoRuns filtered={isFiltered(filters)} />;
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-2">
        <BulkBar selected={[...selected]} filters={filters} onDone={() => setSelected(new Set())} />
        <p className="hidden text-xs text-ink-3 md:block">
          <kbd>j</kbd> <kbd>k</kbd> move · <kbd>Enter</kbd> open · <kbd>x</kbd> select · <kbd>/</kbd> search
        </p>
      </div>
      <ul aria-label="Runs" className="card overflow-hidden">
        <RunRowHead />
        {runs.map((run, index) => (
          <RunRow
            key={run.run_id}
            run={run}
            current={index === current}
            selected={selected.has(run.run_id)}
            onSelect={() => toggle(run.run_id)}
          />
        ))}
      </ul>
      {pages.hasNextPage && (
        <Button className="self-center" busy={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
          Show older runs
        </Button>
      )}
    </>
  );
}

function NoRuns({ filtered }: { filtered: boolean }): ReactNode {
  if (filtered)
    return (
      <EmptyState icon="search" title="No run matches">
        <Link to="/runs" search={{}} className="link">
          Clear the filters
        </Link>
      </EmptyState>
    );
  return (
    <EmptyState title="No runs yet">
      <Link to="/" className="link">
        Drop a file
      </Link>{' '}
      and it shows up here at once.
    </EmptyState>
  );
}

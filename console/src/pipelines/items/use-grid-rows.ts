// The rows of the grid as far as they are looked at. Without a filter a row's place is its number: pages are read where the eye is, and the pages in sight
// are read again while the job is at work, so that nothing jumps. With a filter the list grows by cursor, and what has changed is laid over it.
import { useInfiniteQuery, useQueries, useQuery } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { type GridSearch, isFiltered } from './grid-search.ts';
import { gridQuery, type Item, isLive, type Job, PAGE, rowsQuery, sightQuery } from './list-items.ts';

export interface GridRows {
  readonly count: number;
  /** Undefined: not read yet. */
  readonly at: (index: number) => Item | undefined;
  /** The rows that are drawn now. */
  readonly onSight: (first: number, last: number) => void;
  readonly isPending: boolean;
  readonly error: Error | null;
  readonly retry: () => void;
}

/** A browser draws boxes of 33 million pixels at most. */
export const MOST_ROWS = 900_000;
const NEAR_END = 30;

export function useGridRows(job: Job, search: GridSearch): GridRows {
  const byNumber = useRowsByNumber(job, search);
  const byCursor = useRowsByCursor(job, search);
  return isFiltered(search) ? byCursor : byNumber;
}

function useRowsByNumber(job: Job, search: GridSearch): GridRows {
  const base = (search.row ?? 1) - 1;
  const [sight, setSight] = useState<readonly [number, number]>([0, 0]);
  const isOn = !isFiltered(search);
  const pages = range(Math.floor((base + sight[0]) / PAGE), Math.floor((base + sight[1]) / PAGE));
  const answers = useQueries({
    queries: pages.map((page) => ({ ...rowsQuery(job.jobId, page, isLive(job)), enabled: isOn })),
  });
  const known = new Map(pages.map((page, at) => [page, answers[at]?.data?.data]));
  const onSight = useCallback((first: number, last: number) => {
    setSight((before) => (before[0] === first && before[1] === last ? before : [first, last]));
  }, []);
  return {
    count: Math.min(MOST_ROWS, Math.max(0, job.total_items - base)),
    at: (index) => {
      const row = base + index;
      const page = Math.floor(row / PAGE);
      return known.get(page)?.[row - page * PAGE];
    },
    onSight,
    isPending: false,
    error: answers.find(({ error }) => error !== null)?.error ?? null,
    retry: () => {
      for (const answer of answers) void answer.refetch();
    },
  };
}

function useRowsByCursor(job: Job, search: GridSearch): GridRows {
  const isOn = isFiltered(search);
  const [sight, setSight] = useState<readonly [number, number]>([0, 0]);
  const pages = useInfiniteQuery({ ...gridQuery(job.jobId, search), enabled: isOn });
  const read = useMemo(() => pages.data?.pages.flatMap(({ data }) => data) ?? [], [pages.data]);
  const inSight = read.slice(sight[0], sight[1] + 1).map(({ id }) => id);
  const now = useQuery(sightQuery(job.jobId, inSight, isOn && isLive(job)));
  const rows = useMemo(() => {
    const news = new Map((now.data?.data ?? []).map((item) => [item.id, item]));
    return read.map((item) => news.get(item.id) ?? item);
  }, [read, now.data]);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = pages;
  const onSight = useCallback(
    (first: number, last: number) => {
      setSight((before) => (before[0] === first && before[1] === last ? before : [first, last]));
      if (last >= rows.length - NEAR_END && hasNextPage && !isFetchingNextPage) void fetchNextPage();
    },
    [rows.length, hasNextPage, isFetchingNextPage, fetchNextPage],
  );
  return {
    count: rows.length,
    at: (index) => rows[index],
    onSight,
    isPending: isOn && pages.isPending,
    error: pages.error,
    retry: () => void pages.refetch(),
  };
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

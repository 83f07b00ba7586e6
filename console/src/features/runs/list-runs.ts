import { infiniteQueryOptions } from '@tanstack/react-query';
import { call } from '../../app/api.ts';
import { type RunFilters, toApiFilter } from './run-filters.ts';

const pageSize = 50;

export function runsQuery(filters: RunFilters) {
  return infiniteQueryOptions({
    queryKey: ['runs', 'list', filters],
    queryFn: ({ pageParam, signal }) =>
      call('runs.list', {
        query: { ...toApiFilter(filters, Date.now()), limit: pageSize, ...(pageParam ? { after: pageParam } : {}) },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: (page) => page.next ?? undefined,
    refetchInterval: (query) =>
      query.state.data?.pages[0]?.data.some((run) => run.phase === 'active') ? 2_000 : 15_000,
  });
}

import { infiniteQueryOptions } from '@tanstack/react-query';
import type { CallArgs } from '../../../../src/contract/api/client.ts';
import { call } from '../../app/api.ts';

export type MetricFilter = Omit<NonNullable<CallArgs<'ads.daily-metrics'>['query']>, 'after' | 'limit'>;

export function dailyMetricsQuery(filter: MetricFilter) {
  return infiniteQueryOptions({
    queryKey: ['data', 'daily-metrics', filter],
    queryFn: ({ pageParam, signal }) =>
      call('ads.daily-metrics', {
        query: { ...filter, limit: 100, ...(pageParam ? { after: pageParam } : {}) },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: (page) => page.next ?? undefined,
  });
}

import { infiniteQueryOptions } from '@tanstack/react-query';
import type { CallArgs } from '../../../../src/contract/api/client.ts';
import { call } from '../../app/api.ts';

export type JudgmentFilter = Omit<NonNullable<CallArgs<'judgments.list'>['query']>, 'after' | 'limit'>;

export function judgmentsQuery(filter: JudgmentFilter) {
  return infiniteQueryOptions({
    queryKey: ['data', 'judgments', filter],
    queryFn: ({ pageParam, signal }) =>
      call('judgments.list', { query: { ...filter, limit: 100, ...(pageParam ? { after: pageParam } : {}) }, signal }),
    initialPageParam: '',
    getNextPageParam: (page) => page.next ?? undefined,
  });
}

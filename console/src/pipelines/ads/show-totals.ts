import { queryOptions } from '@tanstack/react-query';
import type { AnswerOf } from '../../../../src/contract/api/client.ts';
import { call } from '../../app/api.ts';
import type { DataSearch } from './data-search.ts';

export type Total = AnswerOf<'ads.totals'>['data'][number];

export function totalsQuery(search: DataSearch, by: 'day' | 'campaign' | 'ad_set' | 'ad') {
  return queryOptions({
    queryKey: ['data', 'totals', by, search],
    queryFn: ({ signal }) => call('ads.totals', { query: { ...search, by }, signal }),
    staleTime: 15_000,
  });
}

import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { AnswerOf } from '../../../../src/contract/api/client.ts';
import { call } from '../../app/api.ts';
import type { DocumentSearch } from './document-search.ts';

export type DocumentRow = AnswerOf<'documents.list'>['data'][number];

export const documentsKey = ['data', 'documents'] as const;
const pageSize = 25;

export function documentsQuery({ search, status = 'active', tag, page = 1 }: DocumentSearch) {
  return queryOptions({
    queryKey: [...documentsKey, 'list', { search, status, tag, page }],
    queryFn: ({ signal }) =>
      call('documents.list', {
        query: {
          status: status === 'unread' ? 'all' : status,
          page,
          limit: pageSize,
          ...(search === undefined ? {} : { search }),
          ...(tag === undefined ? {} : { tag }),
        },
        signal,
      }),
    placeholderData: keepPreviousData,
  });
}

export const orphansQuery = infiniteQueryOptions({
  queryKey: [...documentsKey, 'orphans'],
  queryFn: ({ pageParam, signal }) =>
    call('documents.orphans', { query: { limit: pageSize, ...(pageParam ? { after: pageParam } : {}) }, signal }),
  initialPageParam: '',
  getNextPageParam: (page) => page.next ?? undefined,
});

/** The newest runs of documents that failed. Under ['runs', …] too. */
export const notReadQuery = queryOptions({
  queryKey: ['runs', 'documents not read'],
  queryFn: ({ signal }) => call('runs.list', { query: { pipeline: 'documents', phase: 'failed', limit: 5 }, signal }),
  refetchInterval: 15_000,
});

/** Runs of documents that have not ended. Under ['runs', …], so that every event refreshes them. */
export const beingReadQuery = queryOptions({
  queryKey: ['runs', 'documents being read'],
  queryFn: ({ signal }) =>
    call('runs.list', { query: { pipeline: 'documents', phase: 'waiting,active', limit: 10 }, signal }),
  refetchInterval: (query) => ((query.state.data?.data.length ?? 0) > 0 ? 2_000 : 15_000),
});

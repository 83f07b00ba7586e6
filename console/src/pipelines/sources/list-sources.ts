import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { AnswerOf, CallArgs } from '../../../../src/contract/api/client.ts';
import { call } from '../../app/api.ts';
import type { ObjectFate } from './object-search.ts';

export type Source = AnswerOf<'sources.show'>;
export type SourceSync = Source['syncs'][number];
export type SourceObject = AnswerOf<'sources.objects'>['data'][number];
export type SyncLine = AnswerOf<'sources.lines'>['data'][number];
export type Preview = AnswerOf<'sources.preview'>;
export type SourceBody = CallArgs<'sources.create'>['body'];
export type PreviewBody = CallArgs<'sources.preview'>['body'];

const calmMs = 10_000;
const liveMs = 1_000;

export const sourcesQuery = queryOptions({
  queryKey: ['operate', 'sources'],
  queryFn: ({ signal }) => call('sources.list', { query: { limit: 200 }, signal }),
  refetchInterval: (query) => (query.state.data?.data.some(isAtWork) ? liveMs : calmMs),
});

export function sourceQuery(sourceId: string) {
  return queryOptions({
    queryKey: ['operate', 'sources', sourceId],
    queryFn: ({ signal }) => call('sources.show', { params: { source_id: sourceId }, signal }),
    refetchInterval: (query) => (query.state.data && isAtWork(query.state.data) ? liveMs : calmMs),
  });
}

export function objectsQuery(sourceId: string, fate: ObjectFate | undefined) {
  return infiniteQueryOptions({
    queryKey: ['operate', 'sources', sourceId, 'objects', fate ?? 'all'],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) => {
      const query = {
        limit: 100,
        ...(fate === undefined ? {} : { status: fate }),
        ...(pageParam === undefined ? {} : { after: pageParam }),
      };
      return call('sources.objects', { params: { source_id: sourceId }, query, signal });
    },
    getNextPageParam: (last) => last.next ?? undefined,
  });
}

export function linesQuery(sourceId: string, syncId: string) {
  return infiniteQueryOptions({
    queryKey: ['operate', 'sources', sourceId, 'lines', syncId],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: 100, ...(pageParam === undefined ? {} : { after: pageParam }) };
      return call('sources.lines', { params: { source_id: sourceId, sync_id: syncId }, query, signal });
    },
    getNextPageParam: (last) => last.next ?? undefined,
  });
}

function isAtWork({ freshness }: Source): boolean {
  return freshness === 'syncing';
}

import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { AnswerOf } from '../../../../../src/contract/api/client.ts';
import { call } from '../../../app/api.ts';
import { type FindSearch, filtersOf, type QuestionsSearch } from './ask-search.ts';

export type AskAnswer = AnswerOf<'search.ask'>;
export type Citation = AskAnswer['citations'][number];
export type Hit = AskAnswer['evidence'][number];
export type Why = AskAnswer['why'];
export type Conversation = AnswerOf<'conversations.list'>['data'][number];
export type LoggedQuery = AnswerOf<'queries.list'>['data'][number];
export type ShownQuery = AnswerOf<'queries.show'>;

export const askedKey = ['asked'] as const;

export function shownQuery(queryId: string) {
  return queryOptions({
    queryKey: [...askedKey, 'one', queryId],
    queryFn: ({ signal }) => call('queries.show', { params: { query_id: queryId }, signal }),
  });
}

export const conversationsQuery = queryOptions({
  queryKey: [...askedKey, 'conversations'],
  queryFn: ({ signal }) => call('conversations.list', { query: { limit: 30 }, signal }),
});

export function conversationQuery(conversationId: string) {
  return queryOptions({
    queryKey: [...askedKey, 'conversation', conversationId],
    queryFn: ({ signal }) => call('conversations.show', { params: { conversation_id: conversationId }, signal }),
  });
}

/** Names of the sources a search may be held to. */
export const sourceNamesQuery = queryOptions({
  queryKey: ['found', 'names of sources'],
  queryFn: ({ signal }) => call('sources.list', { query: { limit: 200 }, signal }),
  staleTime: 60_000,
});

export function findQuery(search: FindSearch) {
  return queryOptions({
    queryKey: ['found', search],
    queryFn: ({ signal }) =>
      call('search.run', {
        body: { query: search.q ?? '', limit: 20, filters: filtersOf(search), group: search.group ?? 'none' },
        signal,
      }),
    enabled: search.q !== undefined,
    staleTime: 30_000,
  });
}

export function questionsQuery({ show }: QuestionsSearch) {
  return infiniteQueryOptions({
    queryKey: [...askedKey, 'list', show],
    queryFn: ({ pageParam, signal }) =>
      call('queries.list', {
        query: {
          limit: 50,
          ...(show === 'answered' || show === 'abstained' ? { status: show } : {}),
          ...(show === 'down' ? { rating: 'down' as const } : {}),
          ...(pageParam ? { after: pageParam } : {}),
        },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: (page) => page.next ?? undefined,
  });
}

export const unansweredQuery = queryOptions({
  queryKey: [...askedKey, 'unanswered'],
  queryFn: ({ signal }) => call('queries.unanswered', { query: { limit: 100 }, signal }),
});

import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { AnswerOf } from '../../../../src/contract/api/client.ts';
import { call } from '../../app/api.ts';
import { documentsKey } from './list-documents.ts';

export type DocumentDetail = AnswerOf<'documents.show'>;
export type DocumentVersion = DocumentDetail['versions'][number];
export type PageText = AnswerOf<'documents.page'>;
export type PageChunk = PageText['chunks'][number];

export interface VersionPlace {
  readonly docId: string;
  readonly version: number;
}

export function documentKey(docId: string) {
  return [...documentsKey, 'one', docId] as const;
}

/** While a run works on it, it is asked for regularly: the new version is shown when it is there. */
export function documentQuery(docId: string) {
  return queryOptions({
    queryKey: [...documentKey(docId), 'detail'],
    queryFn: ({ signal }) => call('documents.show', { params: { doc_id: docId }, signal }),
    refetchInterval: (query) => (query.state.data?.live_run ? 1_500 : false),
  });
}

export function pageQuery({ docId, version }: VersionPlace, page: number) {
  return queryOptions({
    queryKey: [...documentKey(docId), version, 'page', page],
    queryFn: ({ signal }) => call('documents.page', { params: { doc_id: docId, version, page_no: page }, signal }),
    // A version never changes.
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** The pages a person may want to look at. */
export function troubledPagesQuery({ docId, version }: VersionPlace) {
  return queryOptions({
    queryKey: [...documentKey(docId), version, 'troubled pages'],
    queryFn: ({ signal }) =>
      call('documents.pages', {
        params: { doc_id: docId, version },
        query: { fate: 'rejected,empty,ocr', limit: 100 },
        signal,
      }),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export function changesQuery({ docId, version }: VersionPlace) {
  return infiniteQueryOptions({
    queryKey: [...documentKey(docId), version, 'changes'],
    queryFn: ({ pageParam, signal }) =>
      call('documents.changes', {
        params: { doc_id: docId, version },
        query: { limit: 20, ...(pageParam ? { after: pageParam } : {}) },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: (page) => page.next ?? undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

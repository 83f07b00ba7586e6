// The queries of the items pages.
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { AnswerOf } from '../../../../src/contract/api/client.ts';
import { call, type RunDetail } from '../../app/api.ts';
import type { GridSearch } from './grid-search.ts';

export type Job = AnswerOf<'jobs.show'>;
export type Item = AnswerOf<'jobs.items'>['data'][number];
export type ItemDetail = AnswerOf<'jobs.item'>;

const LIVE_MS = 1_500;
export const PAGE = 200;

/** Runs that reprocess a job belong to the job of the first one. */
export function jobOfRun(run: Pick<RunDetail, 'run_id' | 'input'>): string {
  return typeof run.input.job_id === 'string' ? run.input.job_id : run.run_id;
}

export function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

export function isLive(job: Job | undefined): boolean {
  return job !== undefined && job.queue_state !== 'DONE' && job.queue_state !== 'FAILED';
}

export function jobQuery(jobId: string) {
  return queryOptions({
    queryKey: ['items', jobId, 'job'],
    queryFn: ({ signal }) => call('jobs.show', { params: { job_id: jobId }, signal }),
    refetchInterval: (query) => (isLive(query.state.data) ? LIVE_MS : false),
  });
}

/** Rows by their number: page by page where they are looked at. */
export function rowsQuery(jobId: string, page: number, isOn: boolean) {
  return queryOptions({
    queryKey: ['items', jobId, 'rows', page],
    queryFn: ({ signal }) =>
      call('jobs.items', { params: { job_id: jobId }, query: { afterRow: page * PAGE - 1, pageSize: PAGE }, signal }),
    refetchInterval: isOn ? LIVE_MS : false,
  });
}

export function gridQuery(jobId: string, { status, text, column }: GridSearch) {
  return infiniteQueryOptions({
    queryKey: ['items', jobId, 'grid', { status, text, column }],
    queryFn: ({ pageParam, signal }) =>
      call('jobs.items', {
        params: { job_id: jobId },
        query: {
          pageSize: PAGE,
          ...(status === undefined ? {} : { status }),
          ...(text === undefined ? {} : { text }),
          ...(column === undefined ? {} : { column }),
          ...(pageParam === '' ? {} : { after: pageParam }),
        },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: (page) => page.next ?? undefined,
  });
}

/** The rows in sight as they are now: laid over those that were read before, so that nobody loses the place. */
export function sightQuery(jobId: string, ids: readonly string[], isOn: boolean) {
  return queryOptions({
    queryKey: ['items', jobId, 'sight', ids],
    queryFn: ({ signal }) => call('jobs.items', { params: { job_id: jobId }, query: { ids: ids.join(',') }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: isOn ? LIVE_MS : false,
    enabled: isOn && ids.length > 0,
  });
}

export function itemQuery(jobId: string, itemId: string) {
  return queryOptions({
    queryKey: ['items', jobId, 'item', itemId],
    queryFn: ({ signal }) => call('jobs.item', { params: { job_id: jobId, item_id: itemId }, signal }),
    refetchInterval: (query) =>
      query.state.data?.status === 'PENDING' || query.state.data?.status === 'PROCESSING' ? LIVE_MS : false,
  });
}

export function pendingOfJobQuery(jobId: string) {
  return infiniteQueryOptions({
    queryKey: ['items', jobId, 'pending'],
    queryFn: ({ pageParam, signal }) =>
      call('jobs.items', {
        params: { job_id: jobId },
        query: { sort: 'updated_at', pageSize: 100, ...(pageParam === '' ? {} : { after: pageParam }) },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: (page) => page.next ?? undefined,
    refetchInterval: LIVE_MS * 2,
  });
}

export interface PendingFilter {
  readonly userId: 'me' | 'all';
  readonly statuses?: string;
  readonly jobType?: 'csv' | 'image';
  readonly jobId?: string;
  readonly from?: string;
  readonly to?: string;
}

export function pendingQuery(filter: PendingFilter) {
  return infiniteQueryOptions({
    queryKey: ['items', 'pending', filter],
    queryFn: ({ pageParam, signal }) =>
      call('pending.list', {
        query: {
          ...filter,
          pageSize: 100,
          ...(pageParam === '' ? {} : { after: pageParam }),
        },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: (page) => page.next ?? undefined,
  });
}

export const catalogsQuery = queryOptions({
  queryKey: ['items', 'catalogs'],
  queryFn: ({ signal }) => call('catalogs.list', { signal }),
});

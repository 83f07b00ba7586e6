// The questions of the items pages.
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { AnswerOf } from '../../../../src/contract/api/client.ts';
import { call, type RunDetail } from '../../app/api.ts';
import type { GridSearch } from './grid-search.ts';

export type Job = AnswerOf<'jobs.show'>;
export type Item = AnswerOf<'jobs.items'>['data'][number];
export type ItemDetail = AnswerOf<'jobs.item'>;

const LIVE_MS = 1_500;
const PAGE = 200;

/** Runs that reprocess a job belong to the job of the first one. */
export function jobOfRun(run: Pick<RunDetail, 'run_id' | 'input'>): string {
  return typeof run.input.job_id === 'string' ? run.input.job_id : run.run_id;
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

/** What has changed since the grid was read: laid over its rows, so that nobody loses the place. */
export function changesQuery(jobId: string, since: string, isOn: boolean) {
  return queryOptions({
    queryKey: ['items', jobId, 'changes', since],
    queryFn: ({ signal }) => call('jobs.items', { params: { job_id: jobId }, query: { since, pageSize: 500 }, signal }),
    refetchInterval: isOn ? LIVE_MS : false,
    enabled: since !== '',
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

export function pendingQuery(userId: 'me' | 'all', jobType: 'csv' | 'image' | undefined) {
  return infiniteQueryOptions({
    queryKey: ['items', 'pending', userId, jobType],
    queryFn: ({ pageParam, signal }) =>
      call('pending.list', {
        query: {
          userId,
          pageSize: 100,
          ...(jobType === undefined ? {} : { jobType }),
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

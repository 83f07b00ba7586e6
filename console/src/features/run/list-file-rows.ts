import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { AnswerOf } from '../../../../src/contract/api/client.ts';
import { call } from '../../app/api.ts';

export type FileRow = AnswerOf<'runs.rows'>['data'][number];

/** The rows of a run's file in file order, all of them or those that ended one way. */
export function fileRowsQuery(runId: string, outcome: string | undefined) {
  return infiniteQueryOptions({
    queryKey: ['run', runId, 'file-rows', outcome],
    queryFn: ({ pageParam, signal }) =>
      call('runs.rows', {
        params: { run_id: runId },
        query: { limit: 100, ...(outcome ? { outcome } : {}), ...(pageParam ? { after: pageParam } : {}) },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: (page) => page.next ?? undefined,
  });
}

/** The first few of them, asked again when the run has moved on. */
export function rowSampleQuery(runId: string, limit: number, updatedAt: string) {
  return queryOptions({
    queryKey: ['run', runId, 'row-sample', updatedAt],
    queryFn: ({ signal }) => call('runs.rows', { params: { run_id: runId }, query: { limit }, signal }),
  });
}

import { queryOptions } from '@tanstack/react-query';
import { call } from './api.ts';

/** The pipelines with their machines; they change only with the server's version, their pauses and counts by the minute. */
export const pipelinesQuery = queryOptions({
  queryKey: ['pipelines'],
  queryFn: ({ signal }) => call('pipelines.list', { signal }),
  staleTime: 30_000,
});

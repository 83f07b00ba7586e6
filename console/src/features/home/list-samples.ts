import { queryOptions } from '@tanstack/react-query';
import { call } from '../../app/api.ts';

export const samplesQuery = queryOptions({
  queryKey: ['samples'],
  queryFn: ({ signal }) => call('samples.list', { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

import { queryOptions } from '@tanstack/react-query';
import { call } from '../../app/api.ts';

export const lanesQuery = queryOptions({
  queryKey: ['operate', 'lanes'],
  queryFn: ({ signal }) => call('operate.lanes', { signal }),
  refetchInterval: 5_000,
});

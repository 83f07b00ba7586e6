import { queryOptions } from '@tanstack/react-query';
import { call } from '../../app/api.ts';

export const workersQuery = queryOptions({
  queryKey: ['operate', 'workers'],
  queryFn: ({ signal }) => call('operate.workers', { signal }),
  refetchInterval: 5_000,
});

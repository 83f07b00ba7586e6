import { queryOptions } from '@tanstack/react-query';
import { call } from '../../app/api.ts';

export const schedulesQuery = queryOptions({
  queryKey: ['operate', 'schedules'],
  queryFn: ({ signal }) => call('operate.schedules', { signal }),
  refetchInterval: 5_000,
});

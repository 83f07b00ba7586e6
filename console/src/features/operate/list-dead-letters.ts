import { queryOptions } from '@tanstack/react-query';
import { call } from '../../app/api.ts';

export const deadLettersQuery = queryOptions({
  queryKey: ['runs', 'dead-letters'],
  queryFn: ({ signal }) => call('dead-letters.list', { query: { limit: 200 }, signal }),
  refetchInterval: 10_000,
});

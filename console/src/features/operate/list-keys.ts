import { queryOptions } from '@tanstack/react-query';
import { call } from '../../app/api.ts';

export const keysQuery = queryOptions({
  queryKey: ['operate', 'keys'],
  queryFn: ({ signal }) => call('api-keys.list', { query: { limit: 200 }, signal }),
});

import { queryOptions } from '@tanstack/react-query';
import { call } from '../../app/api.ts';

export const usersQuery = queryOptions({
  queryKey: ['operate', 'users'],
  queryFn: ({ signal }) => call('users.list', { query: { limit: 200 }, signal }),
});

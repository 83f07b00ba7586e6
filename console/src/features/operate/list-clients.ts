import { queryOptions } from '@tanstack/react-query';
import { call } from '../../app/api.ts';

export const clientsQuery = queryOptions({
  queryKey: ['operate', 'clients'],
  queryFn: ({ signal }) => call('clients.list', { query: { limit: 500 }, signal }),
});

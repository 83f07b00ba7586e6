import { queryOptions } from '@tanstack/react-query';
import { call } from '../../app/api.ts';

export const membershipsQuery = queryOptions({
  queryKey: ['operate', 'memberships'],
  queryFn: ({ signal }) => call('memberships.list', { query: { limit: 200 }, signal }),
});

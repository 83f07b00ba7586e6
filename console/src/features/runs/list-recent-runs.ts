import { queryOptions } from '@tanstack/react-query';
import { call } from '../../app/api.ts';

/** The newest runs, for the home page and the checklist. */
export const recentRunsQuery = queryOptions({
  queryKey: ['runs', 'recent'],
  queryFn: ({ signal }) => call('runs.list', { query: { limit: 50 }, signal }),
});

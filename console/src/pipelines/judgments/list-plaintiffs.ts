import { infiniteQueryOptions } from '@tanstack/react-query';
import { call } from '../../app/api.ts';

export function plaintiffsQuery(name: string) {
  return infiniteQueryOptions({
    queryKey: ['data', 'plaintiffs', name],
    queryFn: ({ pageParam, signal }) =>
      call('plaintiffs.list', {
        query: { limit: 100, ...(name ? { name } : {}), ...(pageParam ? { after: pageParam } : {}) },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: (page) => page.next ?? undefined,
  });
}

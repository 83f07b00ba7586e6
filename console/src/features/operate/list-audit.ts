import { infiniteQueryOptions } from '@tanstack/react-query';
import { call } from '../../app/api.ts';

export function auditQuery(action: string) {
  return infiniteQueryOptions({
    queryKey: ['audit', action],
    queryFn: ({ pageParam, signal }) =>
      call('operate.audit', {
        query: { limit: 100, ...(action ? { action } : {}), ...(pageParam ? { after: pageParam } : {}) },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: (page) => page.next ?? undefined,
  });
}

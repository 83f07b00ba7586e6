import { queryOptions } from '@tanstack/react-query';
import { ApiError, call } from '../../app/api.ts';

export const metricsQuery = queryOptions({
  queryKey: ['operate', 'metrics'],
  queryFn: ({ signal }) => call('system.metrics', { signal }),
  refetchInterval: 10_000,
});

export const healthQuery = queryOptions({
  queryKey: ['operate', 'health'],
  queryFn: ({ signal }) => call('system.health', { signal }),
  refetchInterval: 10_000,
});

/** Readiness answers 503 with the same body when a check fails; both are answers to show. */
export const readyQuery = queryOptions({
  queryKey: ['operate', 'ready'],
  queryFn: async ({ signal }) => {
    try {
      return await call('system.ready', { signal });
    } catch (error) {
      if (error instanceof ApiError) return { status: 'not_ready' as const, checks: {} };
      throw error;
    }
  },
  refetchInterval: 10_000,
});

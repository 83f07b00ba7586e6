// The cache of everything fetched. A lost session leads to the sign-in page, a pending password change to the page of the password.
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError, hasCode } from './api.ts';
import { noteFailure } from './reachability.ts';

/** Leads to the page that settles it. */
type Leave = (to: '/login' | '/settings/password') => void;

export function createQueryClient(leave: Leave): QueryClient {
  const onError = (error: unknown) => {
    noteFailure(error);
    if (hasCode(error, 'unauthenticated')) leave('/login');
    if (hasCode(error, 'password_change_required')) leave('/settings/password');
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: { staleTime: 2_000, retry: mayRetry, refetchOnWindowFocus: true },
      mutations: { retry: false },
    },
  });
}

/** Only what may pass by itself is asked again: no answer at all, or the server says it is busy. */
function mayRetry(failures: number, error: unknown): boolean {
  if (error instanceof ApiError) return error.problem.status >= 500 && error.problem.status !== 501 && failures < 3;
  return failures < 2;
}

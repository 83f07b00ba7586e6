// Who is signed in, and what that lets them do.
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import type { Role } from '../../../src/contract/api/roles.ts';
import { call, type Me } from './api.ts';

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => call('auth.me', { signal }),
  staleTime: 60_000,
});

export function useMe(): Me {
  return useSuspenseQuery(meQuery).data;
}

export function useIs(...roles: Role[]): boolean {
  return roles.includes(useMe().role);
}

// What waits for a person: open alerts, and dead letters nobody has requeued. As many as their pages list.
import { queryOptions, useQuery } from '@tanstack/react-query';
import { call } from './api.ts';
import { useMe } from './session.ts';

const most = 100;

const openAlertsQuery = queryOptions({
  queryKey: ['attention', 'alerts'],
  queryFn: async ({ signal }) =>
    (await call('alerts.list', { query: { status: 'open', limit: most }, signal })).data.length,
  refetchInterval: 15_000,
});

const deadLettersQuery = queryOptions({
  queryKey: ['attention', 'dead-letters'],
  queryFn: async ({ signal }) => (await call('dead-letters.list', { query: { limit: most }, signal })).data.length,
  refetchInterval: 15_000,
});

export interface Attention {
  readonly alerts: number;
  readonly deadLetters: number;
}

export function useAttention(): Attention {
  const { role } = useMe();
  const alerts = useQuery({ ...openAlertsQuery, enabled: role !== 'support' });
  const letters = useQuery({ ...deadLettersQuery, enabled: role !== 'user' });
  return { alerts: alerts.data ?? 0, deadLetters: letters.data ?? 0 };
}

/** "100+" where there are more than were counted. */
export function countShown(count: number): string {
  return count >= most ? `${most}+` : String(count);
}

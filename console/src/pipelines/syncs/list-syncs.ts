import { queryOptions } from '@tanstack/react-query';
import type { AnswerOf } from '../../../../src/contract/api/client.ts';
import { call } from '../../app/api.ts';

export type Sync = AnswerOf<'syncs.list'>['data'][number];

/** The newest syncs of one connector. */
export function syncsQuery(connectorId: string) {
  return queryOptions({
    queryKey: ['operate', 'syncs', connectorId],
    queryFn: ({ signal }) => call('syncs.list', { query: { connector_id: connectorId, limit: 30 }, signal }),
    refetchInterval: 10_000,
  });
}

import { queryOptions } from '@tanstack/react-query';
import type { AnswerOf } from '../../../../src/contract/api/client.ts';
import { call } from '../../app/api.ts';

export type Connector = AnswerOf<'connectors.list'>['data'][number];

export const connectorsQuery = queryOptions({
  queryKey: ['operate', 'connectors'],
  queryFn: ({ signal }) => call('connectors.list', { query: { limit: 200 }, signal }),
  refetchInterval: 10_000,
});

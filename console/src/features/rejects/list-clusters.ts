import { queryOptions } from '@tanstack/react-query';
import type { AnswerOf } from '../../../../src/contract/api/client.ts';
import { call } from '../../app/api.ts';

export type Cluster = AnswerOf<'rejects.clusters'>['data'][number];

export function clustersQuery(runId: string) {
  return queryOptions({
    queryKey: ['run', runId, 'clusters'],
    queryFn: ({ signal }) => call('rejects.clusters', { params: { run_id: runId }, signal }),
  });
}

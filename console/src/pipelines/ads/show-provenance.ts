import { queryOptions } from '@tanstack/react-query';
import { call } from '../../app/api.ts';

export function provenanceQuery(metricId: string, measure: string) {
  return queryOptions({
    queryKey: ['data', 'provenance', metricId, measure],
    queryFn: ({ signal }) => call('ads.provenance', { query: { metric_id: metricId, measure }, signal }),
  });
}

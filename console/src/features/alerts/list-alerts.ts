import { queryOptions } from '@tanstack/react-query';
import type { AnswerOf } from '../../../../src/contract/api/client.ts';
import { call } from '../../app/api.ts';

export type Alert = AnswerOf<'alerts.list'>['data'][number];
export type AlertRule = AnswerOf<'alert-rules.list'>['data'][number];
export type AlertSink = AnswerOf<'alert-sinks.list'>['data'][number];

export function alertsQuery(status: 'open' | 'resolved') {
  return queryOptions({
    queryKey: ['operate', 'alerts', status],
    queryFn: ({ signal }) => call('alerts.list', { query: { status, limit: 100 }, signal }),
    refetchInterval: 15_000,
  });
}

export const alertRulesQuery = queryOptions({
  queryKey: ['operate', 'alert-rules'],
  queryFn: ({ signal }) => call('alert-rules.list', { query: { limit: 200 }, signal }),
});

export const alertSinksQuery = queryOptions({
  queryKey: ['operate', 'alert-sinks'],
  queryFn: ({ signal }) => call('alert-sinks.list', { query: { limit: 200 }, signal }),
});

export function sinkSendsQuery(sinkId: string) {
  return queryOptions({
    queryKey: ['operate', 'alert-sinks', sinkId, 'sends'],
    queryFn: ({ signal }) => call('alert-sinks.sends', { params: { sink_id: sinkId }, query: { limit: 50 }, signal }),
  });
}

import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { AnswerOf } from '../../../../src/contract/api/client.ts';
import { call } from '../../app/api.ts';

export type Webhook = AnswerOf<'webhooks.list'>['data'][number];
export type Delivery = AnswerOf<'deliveries.list'>['data'][number];

export const webhooksQuery = queryOptions({
  queryKey: ['operate', 'webhooks'],
  queryFn: ({ signal }) => call('webhooks.list', { query: { limit: 200 }, signal }),
});

export function webhookQuery(endpointId: string) {
  return queryOptions({
    queryKey: ['operate', 'webhooks', endpointId],
    queryFn: ({ signal }) => call('webhooks.show', { params: { endpoint_id: endpointId }, signal }),
    refetchInterval: 5_000,
  });
}

/** The delivery log, newest first. Events make it stale like everything of the operator's. */
export function deliveriesQuery(endpointId: string, status: string | undefined) {
  return infiniteQueryOptions({
    queryKey: ['operate', 'webhooks', endpointId, 'deliveries', status],
    queryFn: ({ pageParam, signal }) =>
      call('deliveries.list', {
        params: { endpoint_id: endpointId },
        query: { limit: 50, ...(status ? { status } : {}), ...(pageParam ? { after: pageParam } : {}) },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: (page) => page.next ?? undefined,
    // What is under way makes no event of its own.
    refetchInterval: (query) => {
      const isUnderWay = query.state.data?.pages.some((page) =>
        page.data.some((each) => each.status === 'waiting' || each.status === 'sending'),
      );
      return isUnderWay ? 1_500 : 10_000;
    },
  });
}

export function deliveryQuery(endpointId: string, deliveryId: string) {
  return queryOptions({
    queryKey: ['operate', 'webhooks', endpointId, 'delivery', deliveryId],
    queryFn: ({ signal }) =>
      call('deliveries.show', { params: { endpoint_id: endpointId, delivery_id: deliveryId }, signal }),
  });
}

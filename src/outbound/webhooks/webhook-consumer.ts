// Reads the outbox and creates one delivery per event and subscribed endpoint, in the transaction that moves the consumer's offset. An endpoint
// receives no event from before it was created.
import { wantsEvent } from '../../contract/api/webhook-events.ts';
import type { FeedRow } from '../../engine/sql/event-feed.ts';
import type { Queryable } from '../../platform/database.ts';
import { uuidv7 } from '../../platform/ids.ts';
import { buildPayload, type EventFields } from './payload.ts';
import { insertDeliveries, type ListeningEndpoint, lockListeners, readRunFacts } from './sql/feed-deliveries.ts';

export const consumerName = 'webhooks';

export async function addDeliveries(
  tx: Queryable,
  events: readonly FeedRow[],
  fields: EventFields = {},
): Promise<void> {
  const listeners = await lockListeners(tx, [...new Set(events.map((event) => event.tenant_id))]);
  const wanted = events.flatMap((event) =>
    listeners.filter((endpoint) => listensTo(endpoint, event)).map((endpoint) => ({ event, endpoint })),
  );
  if (wanted.length === 0) return;
  const runIds = new Set(wanted.flatMap(({ event }) => event.run_id ?? []));
  const runs = await readRunFacts(tx, [...runIds]);
  await insertDeliveries(
    tx,
    wanted.map(({ event, endpoint }) => ({
      deliveryId: uuidv7(),
      tenantId: endpoint.tenant_id,
      endpointId: endpoint.endpoint_id,
      eventId: event.event_id,
      eventType: event.type,
      eventAt: event.created_at,
      runId: event.run_id,
      payload: buildPayload(event, runs.get(event.run_id ?? ''), fields),
      isDisabled: endpoint.is_disabled,
    })),
  );
}

function listensTo(endpoint: ListeningEndpoint, event: FeedRow): boolean {
  if (endpoint.tenant_id !== event.tenant_id || event.created_at < endpoint.created_at) return false;
  // An endpoint is not told of its own end: nobody is there to hear it.
  if (event.type === 'webhook.disabled' && event.data.endpoint_id === endpoint.endpoint_id) return false;
  return wantsEvent(endpoint.event_types, event.type);
}

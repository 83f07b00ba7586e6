// Endpoints and deliveries as the API shows them.
import type { Principal } from '../../../access/principal.ts';
import type { AnswerOf } from '../../../contract/api/client.ts';
import { webhookIdOf } from '../../../outbound/webhooks/payload.ts';
import type { DeliveryRow } from '../../../outbound/webhooks/sql/deliveries.ts';
import type { EndpointRow } from '../../../outbound/webhooks/sql/endpoints.ts';
import { wire } from '../../wire.ts';

export type WebhookAnswer = AnswerOf<'webhooks.show'>;
export type DeliveryAnswer = AnswerOf<'deliveries.list'>['data'][number];

/** An address may hold a key of the receiver in its path or query: only admins see more than the host. */
export function webhookAnswer(row: EndpointRow, principal: Principal): WebhookAnswer {
  const url = principal.role === 'admin' ? row.url : `${new URL(row.url).origin}/…`;
  return { ...wire(row), url, enabled: row.disabled_at === null };
}

/** Without the payload, which only the page of one delivery shows. */
export function deliveryAnswer(given: DeliveryRow & { readonly payload?: string }): DeliveryAnswer {
  const { event_id: eventId, payload: _, ...row } = given;
  return { ...wire(row), webhook_id: webhookIdOf(eventId) };
}

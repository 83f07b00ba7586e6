// /v1/webhooks: what a tenant's admin sets up, and the log of what was delivered. Changes are written together with their entry in
// the audit log; what has to read a secret goes through the service.
import {
  addEndpoint,
  changeEndpoint,
  recoverSince,
  removeEndpoint,
  requireDelivery,
  requireEndpoint,
  resend,
  switchOff,
  switchOn,
} from '../../../outbound/webhooks/endpoints.ts';
import { listDeliveries, listTries } from '../../../outbound/webhooks/sql/deliveries.ts';
import { listEndpoints } from '../../../outbound/webhooks/sql/endpoints.ts';
import type { WebhookService } from '../../../outbound/webhooks/webhook-service.ts';
import { type Handlers, handle } from '../../call.ts';
import { pageOf, readCursor, shapes, writeCursor } from '../../cursor.ts';
import { wire } from '../../wire.ts';
import { change, look } from '../change.ts';
import { deliveryAnswer, webhookAnswer } from './webhook-answer.ts';

export function webhookHandlers(service: WebhookService): Handlers {
  return { ...endpointHandlers(service), ...secretHandlers(service), ...deliveryHandlers() };
}

function endpointHandlers(service: WebhookService): Handlers {
  return {
    ...handle('webhooks.list', async (call) => {
      const { limit, after } = call.query;
      const cursor = readCursor(after, shapes.uuid)?.[0] ?? null;
      const rows = await look(call, (db, tenantId) => listEndpoints(db, tenantId, cursor, limit + 1));
      const page = pageOf(rows, limit, (row) => writeCursor(row.endpoint_id));
      return { data: page.data.map((row) => webhookAnswer(row, call.principal)), next: page.next };
    }),
    ...handle('webhooks.create', async (call) => {
      const { body, principal } = call;
      const { secret, ...row } = await change(
        call,
        (db, tenantId) =>
          addEndpoint(db, service, tenantId, {
            url: body.url,
            description: body.description,
            eventTypes: body.event_types,
            createdBy: principal.kind === 'user' ? principal.actorId : null,
          }),
        (added) => ({ target: added.endpoint_id, data: { event_types: body.event_types } }),
      );
      return { ...webhookAnswer(row, principal), secret };
    }),
    ...handle('webhooks.show', async (call) => {
      const row = await look(call, (db, tenantId) => requireEndpoint(db, tenantId, call.params.endpoint_id));
      return webhookAnswer(row, call.principal);
    }),
    ...handle('webhooks.update', async (call) => {
      const { url, description, event_types: eventTypes } = call.body;
      const row = await change(
        call,
        (db, tenantId) =>
          changeEndpoint(db, service, tenantId, call.params.endpoint_id, { url, description, eventTypes }),
        ({ endpoint_id: target }) => ({ target, data: { changed: Object.keys(call.body) } }),
      );
      return webhookAnswer(row, call.principal);
    }),
    ...handle('webhooks.remove', async (call) => {
      const { endpoint_id: target } = call.params;
      await change(
        call,
        (db, tenantId) => removeEndpoint(db, tenantId, target),
        () => ({ target }),
      );
      return undefined;
    }),
    ...handle('webhooks.enable', async (call) => {
      const row = await change(
        call,
        (db, tenantId) => switchOn(db, tenantId, call.params.endpoint_id),
        ({ endpoint_id: target }) => ({ target }),
      );
      return webhookAnswer(row, call.principal);
    }),
    ...handle('webhooks.disable', async (call) => {
      const row = await change(
        call,
        (db, tenantId) => switchOff(db, tenantId, call.params.endpoint_id),
        ({ endpoint_id: target }) => ({ target }),
      );
      return webhookAnswer(row, call.principal);
    }),
    ...handle('webhooks.recover', async (call) => {
      const { endpoint_id: target } = call.params;
      const { since, preview } = call.body;
      const work = (db: Parameters<typeof recoverSince>[0], tenantId: string) =>
        recoverSince(db, tenantId, target, { since, preview });
      const count = await change(call, work, (found) =>
        preview ? undefined : { target, data: { since, count: found } },
      );
      return { count, preview };
    }),
  };
}

/** The service that reads secrets has a role and transactions of its own. */
function secretHandlers(service: WebhookService): Handlers {
  return {
    ...handle('webhooks.rotate', async (call) => {
      const { endpoint_id: endpointId } = call.params;
      const secret = await service.rotate(call.principal.tenantId, endpointId, call.body.grace_hours);
      call.trail.acted({ target: endpointId, data: { grace_hours: call.body.grace_hours } });
      const row = await look(call, (db, tenantId) => requireEndpoint(db, tenantId, endpointId));
      return { ...webhookAnswer(row, call.principal), secret };
    }),
    ...handle('webhooks.test', async (call) => {
      const { deliveryId, verdict, ms } = await service.test(call.principal.tenantId, call.params.endpoint_id);
      const { error, status } = verdict;
      call.trail.acted({ target: call.params.endpoint_id, data: { ok: error === null, status } });
      if (error?.code === 'webhook_secret_unreadable') throw error;
      const message =
        error === null ? `The receiver answered ${status} in ${ms} ms.` : `${error.message} ${error.next}`;
      return { delivery_id: deliveryId, ok: error === null, status, ms, error_code: error?.code ?? null, message };
    }),
  };
}

function deliveryHandlers(): Handlers {
  return {
    ...handle('deliveries.list', async (call) => {
      const { limit, after, status, event_type: eventType, run_id: runId, since, until } = call.query;
      const { endpoint_id: endpointId } = call.params;
      const before = readCursor(after, shapes.uuid)?.[0] ?? null;
      const rows = await look(call, async (db, tenantId) => {
        await requireEndpoint(db, tenantId, endpointId);
        const filter = {
          tenantId,
          endpointId,
          statuses: status?.split(',').map((each) => each.trim()) ?? null,
          eventType: eventType ?? null,
          runId: runId ?? null,
          since: since ?? null,
          until: until ?? null,
        };
        return listDeliveries(db, filter, before, limit + 1);
      });
      const page = pageOf(rows, limit, (row) => writeCursor(row.delivery_id));
      return { data: page.data.map(deliveryAnswer), next: page.next };
    }),
    ...handle('deliveries.show', async (call) => {
      const { endpoint_id: endpointId, delivery_id: deliveryId } = call.params;
      return look(call, async (db, tenantId) => {
        const { payload, ...row } = await requireDelivery(db, tenantId, endpointId, deliveryId);
        const tries = await listTries(db, tenantId, deliveryId);
        return { ...deliveryAnswer(row), payload, tries: tries.map(wire) };
      });
    }),
    ...handle('deliveries.resend', async (call) => {
      const { endpoint_id: endpointId, delivery_id: deliveryId } = call.params;
      const row = await change(
        call,
        (db, tenantId) => resend(db, tenantId, endpointId, deliveryId),
        () => ({ target: deliveryId, data: { endpoint_id: endpointId } }),
      );
      return deliveryAnswer(row);
    }),
  };
}

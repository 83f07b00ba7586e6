// What a tenant's admin does with endpoints, in the transaction and under the tenant of the caller.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { Queryable } from '../../platform/database.ts';
import { uuidv7 } from '../../platform/ids.ts';
import { checkOutboundUrl } from '../guarded-request.ts';
import { makeSecret, type SealingBox, sealSecret } from './secrets.ts';
import {
  countFailed,
  type DeliveryRow,
  failWaiting,
  findDelivery,
  requeueFailed,
  resendDelivery,
} from './sql/deliveries.ts';
import {
  countEndpoints,
  deleteEndpoint,
  disableEndpoint,
  type EndpointChange,
  type EndpointRow,
  enableEndpoint,
  findEndpoint,
  insertEndpoint,
  lockEndpoint,
  updateEndpoint,
} from './sql/endpoints.ts';
import { maxEndpoints, type WebhookSettings } from './webhook-settings.ts';

export interface EndpointDeps {
  readonly box: SealingBox;
  readonly settings: Pick<WebhookSettings, 'allowPrivate'>;
}

export async function addEndpoint(
  db: Queryable,
  { box, settings }: EndpointDeps,
  tenantId: string,
  given: { url: string; description: string; eventTypes: readonly string[]; createdBy: string | null },
): Promise<EndpointRow & { secret: string }> {
  const { href } = checkOutboundUrl(given.url, settings.allowPrivate);
  if ((await countEndpoints(db, tenantId)) >= maxEndpoints)
    throw new MillraceError('webhook_limit', { limit: maxEndpoints });
  const endpointId = uuidv7();
  const secret = makeSecret();
  await insertEndpoint(db, {
    ...given,
    endpointId,
    tenantId,
    url: href,
    secret: sealSecret(box, endpointId, secret),
  });
  return { ...(await requireEndpoint(db, tenantId, endpointId)), secret };
}

export async function requireEndpoint(db: Queryable, tenantId: string, endpointId: string): Promise<EndpointRow> {
  const row = await findEndpoint(db, tenantId, endpointId);
  if (row === undefined) throw notFound(endpointId);
  return row;
}

export async function changeEndpoint(
  db: Queryable,
  { settings }: EndpointDeps,
  tenantId: string,
  endpointId: string,
  change: EndpointChange,
): Promise<EndpointRow> {
  await requireLocked(db, tenantId, endpointId);
  const url = change.url === undefined ? undefined : checkOutboundUrl(change.url, settings.allowPrivate).href;
  await updateEndpoint(db, tenantId, endpointId, { ...change, url });
  return requireEndpoint(db, tenantId, endpointId);
}

export async function removeEndpoint(db: Queryable, tenantId: string, endpointId: string): Promise<void> {
  if (!(await deleteEndpoint(db, tenantId, endpointId))) throw notFound(endpointId);
}

export async function switchOn(db: Queryable, tenantId: string, endpointId: string): Promise<EndpointRow> {
  if (!(await enableEndpoint(db, tenantId, endpointId))) throw notFound(endpointId);
  return requireEndpoint(db, tenantId, endpointId);
}

/** Switching off what is off already changes nothing, not even the reason. */
export async function switchOff(db: Queryable, tenantId: string, endpointId: string): Promise<EndpointRow> {
  await requireLocked(db, tenantId, endpointId);
  if (await disableEndpoint(db, tenantId, endpointId, 'person')) await failWaiting(db, tenantId, endpointId);
  return requireEndpoint(db, tenantId, endpointId);
}

/** How many deliveries go out again, or would. */
export async function recoverSince(
  db: Queryable,
  tenantId: string,
  endpointId: string,
  { since, preview }: { since: string; preview: boolean },
): Promise<number> {
  await requireOn(db, tenantId, endpointId);
  return preview ? countFailed(db, tenantId, endpointId, since) : requeueFailed(db, tenantId, endpointId, since);
}

export async function resend(
  db: Queryable,
  tenantId: string,
  endpointId: string,
  deliveryId: string,
): Promise<DeliveryRow> {
  await requireDelivery(db, tenantId, endpointId, deliveryId);
  await requireOn(db, tenantId, endpointId);
  await resendDelivery(db, tenantId, endpointId, deliveryId);
  return requireDelivery(db, tenantId, endpointId, deliveryId);
}

export async function requireDelivery(
  db: Queryable,
  tenantId: string,
  endpointId: string,
  deliveryId: string,
): Promise<DeliveryRow & { payload: string }> {
  const row = await findDelivery(db, tenantId, endpointId, deliveryId);
  if (row === undefined) throw new MillraceError('delivery_not_found', { delivery: deliveryId, endpoint: endpointId });
  return row;
}

async function requireOn(db: Queryable, tenantId: string, endpointId: string): Promise<void> {
  const { disabled_reason: reason } = await requireLocked(db, tenantId, endpointId);
  if (reason !== null) throw new MillraceError('webhook_disabled', { endpoint: endpointId, reason });
}

async function requireLocked(db: Queryable, tenantId: string, endpointId: string) {
  const locked = await lockEndpoint(db, tenantId, endpointId);
  if (locked === undefined) throw notFound(endpointId);
  return locked;
}

function notFound(endpoint: string): MillraceError {
  return new MillraceError('webhook_not_found', { endpoint });
}

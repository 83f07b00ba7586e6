// The delivery log of one tenant, for its people, and what they can do with it.
import type { Queryable } from '../../../platform/database.ts';

export interface DeliveryRow {
  readonly delivery_id: string;
  readonly endpoint_id: string;
  readonly event_id: number;
  readonly event_type: string;
  readonly run_id: string | null;
  readonly status: 'waiting' | 'sending' | 'delivered' | 'failed';
  readonly attempts: number;
  readonly http_status: number | null;
  readonly error_code: string | null;
  readonly next_at: Date | null;
  readonly last_attempt_at: Date | null;
  readonly delivered_at: Date | null;
  readonly created_at: Date;
}

const columns = `
  d.delivery_id, d.endpoint_id, d.event_id, d.event_type, d.run_id, d.status, d.attempts, d.http_status, d.error_code, d.next_at,
  d.last_attempt_at, d.delivered_at, d.created_at`;

/** Behind every id. */
const BEHIND_ALL = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

export interface DeliveryFilter {
  readonly tenantId: string;
  readonly endpointId: string;
  readonly statuses: readonly string[] | null;
  readonly eventType: string | null;
  readonly runId: string | null;
  readonly since: string | null;
  readonly until: string | null;
}

const narrowed = (byStatus: string) => `
  d.tenant_id = $1 and d.endpoint_id = $2 and d.delivery_id < $8 and ${byStatus}
        and ($4::text is null or d.event_type = $4)
        and ($5::uuid is null or d.run_id = $5)
        and ($6::timestamptz is null or d.event_at >= $6)
        and ($7::timestamptz is null or d.event_at < $7)
      order by d.delivery_id desc
      limit $9`;

/**
 * Each status has its own order in an index; a page of several is made of a page of each. The bound is always there, so that the index with
 * the order is worth more than any other: for a page of twenty the server gathered all 15,000 of an endpoint and sorted them.
 */
const ways = {
  all: `select ${columns} from engine.deliveries d where ${narrowed('$3::text[] is null')}`,
  'of-status': `
      select d.* from unnest($3::text[]) given (status)
      cross join lateral (select ${columns} from engine.deliveries d where ${narrowed('d.status = given.status')}) d
      order by d.delivery_id desc
      limit $9`,
} as const;

export async function listDeliveries(
  db: Queryable,
  filter: DeliveryFilter,
  before: string | null,
  limit: number,
): Promise<DeliveryRow[]> {
  const way = filter.statuses === null ? 'all' : 'of-status';
  const { rows } = await db.query<DeliveryRow>({
    name: `webhooks-list-deliveries-${way}`,
    text: ways[way],
    values: [
      filter.tenantId,
      filter.endpointId,
      filter.statuses,
      filter.eventType,
      filter.runId,
      filter.since,
      filter.until,
      before ?? BEHIND_ALL,
      limit,
    ],
  });
  return rows;
}

export async function findDelivery(
  db: Queryable,
  tenantId: string,
  endpointId: string,
  deliveryId: string,
): Promise<(DeliveryRow & { payload: string }) | undefined> {
  const { rows } = await db.query<DeliveryRow & { payload: string }>({
    name: 'webhooks-find-delivery',
    text: `
      select ${columns}, d.payload from engine.deliveries d
      where d.tenant_id = $1 and d.endpoint_id = $2 and d.delivery_id = $3`,
    values: [tenantId, endpointId, deliveryId],
  });
  return rows[0];
}

export interface TryRow {
  readonly attempt: number;
  readonly started_at: Date;
  readonly ms: number | null;
  readonly http_status: number | null;
  readonly error_code: string | null;
  readonly response_excerpt: string | null;
}

export async function listTries(db: Queryable, tenantId: string, deliveryId: string): Promise<TryRow[]> {
  const { rows } = await db.query<TryRow>({
    name: 'webhooks-list-tries',
    text: `
      select attempt, started_at, ms, http_status, error_code, response_excerpt from engine.delivery_tries
      where tenant_id = $1 and delivery_id = $2
      order by attempt desc
      limit 100`,
    values: [tenantId, deliveryId],
  });
  return rows;
}

/** Due now, from the first pause on. One that is being sent at this moment is left to its sender. */
export async function resendDelivery(
  db: Queryable,
  tenantId: string,
  endpointId: string,
  deliveryId: string,
): Promise<void> {
  await db.query({
    name: 'webhooks-resend-delivery',
    text: `
      update engine.deliveries
      set status = 'waiting', step = 0, next_at = engine.now()
      where tenant_id = $1 and endpoint_id = $2 and delivery_id = $3 and status <> 'sending'`,
    values: [tenantId, endpointId, deliveryId],
  });
}

export async function countFailed(db: Queryable, tenantId: string, endpointId: string, since: string): Promise<number> {
  const { rows } = await db.query<{ count: number }>({
    name: 'webhooks-count-failed',
    text: `
      select count(*)::int as count from engine.deliveries
      where tenant_id = $1 and endpoint_id = $2 and status = 'failed' and event_at >= $3 and event_type <> 'webhook.test'`,
    values: [tenantId, endpointId, since],
  });
  return rows[0]?.count ?? 0;
}

/** How many go out again. */
export async function requeueFailed(
  db: Queryable,
  tenantId: string,
  endpointId: string,
  since: string,
): Promise<number> {
  const { rowCount } = await db.query({
    name: 'webhooks-requeue-failed',
    text: `
      update engine.deliveries
      set status = 'waiting', step = 0, next_at = engine.now()
      where tenant_id = $1 and endpoint_id = $2 and status = 'failed' and event_at >= $3 and event_type <> 'webhook.test'`,
    values: [tenantId, endpointId, since],
  });
  return rowCount ?? 0;
}

/** What still waits for an endpoint that was switched off. */
export async function failWaiting(db: Queryable, tenantId: string, endpointId: string): Promise<void> {
  await db.query({
    name: 'webhooks-fail-waiting',
    text: `
      update engine.deliveries set status = 'failed', next_at = null, error_code = 'webhook_disabled'
      where tenant_id = $1 and endpoint_id = $2 and status = 'waiting'`,
    values: [tenantId, endpointId],
  });
}

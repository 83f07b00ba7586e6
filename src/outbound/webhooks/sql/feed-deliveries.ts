// Turns events into deliveries, in the transaction that moves the consumer's offset.
import type { Queryable } from '../../../platform/database.ts';
import type { RunFacts } from '../payload.ts';

export interface ListeningEndpoint {
  readonly endpoint_id: string;
  readonly tenant_id: string;
  readonly event_types: string[];
  readonly is_disabled: boolean;
  readonly created_at: Date;
}

/**
 * Locked against being switched off until the deliveries are written, so that none is left waiting for an endpoint that is off.
 * In the order of ids: two such transactions cannot wait for each other.
 */
export async function lockListeners(db: Queryable, tenantIds: readonly string[]): Promise<ListeningEndpoint[]> {
  const { rows } = await db.query<ListeningEndpoint>({
    name: 'webhooks-lock-listeners',
    text: `
      select endpoint_id, tenant_id, event_types, disabled_at is not null as is_disabled, created_at
      from engine.webhook_endpoints
      where endpoint_id = any (array(
        select e.endpoint_id from unnest($1::uuid[]) given (tenant_id)
        cross join lateral (select endpoint_id from engine.webhook_endpoints where tenant_id = given.tenant_id offset 0) e
      ))
      order by endpoint_id
      for share`,
    values: [tenantIds],
  });
  return rows;
}

export async function readRunFacts(db: Queryable, runIds: readonly string[]): Promise<Map<string, RunFacts>> {
  const { rows } = await db.query<RunFacts & { id: string }>({
    name: 'webhooks-read-run-facts',
    text: `
      select id, pipeline, correlation_id, input ->> 'rejects_of' as replay_of,
             jsonb_build_object('read', receipt -> 'read', 'outcomes', receipt -> 'outcomes', 'doubts', receipt -> 'doubts') as receipt
      from engine.runs where id = any ($1)`,
    values: [runIds],
  });
  return new Map(rows.map((row) => [row.id, row]));
}

export interface NewDelivery {
  readonly deliveryId: string;
  readonly tenantId: string;
  readonly endpointId: string;
  readonly eventId: number;
  readonly eventType: string;
  readonly eventAt: Date;
  readonly runId: string | null;
  readonly payload: string;
  /** The endpoint is off: logged as failed, so that it can be recovered. */
  readonly isDisabled: boolean;
}

export async function insertDeliveries(db: Queryable, deliveries: readonly NewDelivery[]): Promise<void> {
  await db.query({
    name: 'webhooks-insert-deliveries',
    text: `
      insert into engine.deliveries
        (delivery_id, tenant_id, endpoint_id, event_id, event_type, event_at, run_id, payload, status, next_at, error_code)
      select g.delivery_id, g.tenant_id, g.endpoint_id, g.event_id, g.event_type, g.event_at, g.run_id, g.payload,
             case when g.is_disabled then 'failed' else 'waiting' end,
             case when not g.is_disabled then engine.now() end,
             case when g.is_disabled then 'webhook_disabled' end
      from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::bigint[], $5::text[], $6::timestamptz[], $7::uuid[], $8::text[],
                  $9::boolean[])
        as g (delivery_id, tenant_id, endpoint_id, event_id, event_type, event_at, run_id, payload, is_disabled)
      on conflict (endpoint_id, event_id) do nothing`,
    values: [
      deliveries.map((each) => each.deliveryId),
      deliveries.map((each) => each.tenantId),
      deliveries.map((each) => each.endpointId),
      deliveries.map((each) => each.eventId),
      deliveries.map((each) => each.eventType),
      deliveries.map((each) => each.eventAt),
      deliveries.map((each) => each.runId),
      deliveries.map((each) => each.payload),
      deliveries.map((each) => each.isDisabled),
    ],
  });
}

/** A test: an event of its own that only this endpoint is told, taken by the caller at once. Undefined: no such endpoint. */
export async function insertTest(
  db: Queryable,
  given: { deliveryId: string; tenantId: string; endpointId: string; leaseMs: number },
): Promise<{ event_id: number; created_at: Date } | undefined> {
  const { rows } = await db.query<{ event_id: number; created_at: Date }>({
    name: 'webhooks-insert-test',
    text: `
      with told as (
        insert into engine.events (tenant_id, run_id, type, key, data)
        select tenant_id, null, 'webhook.test', endpoint_id::text, jsonb_build_object('endpoint_id', endpoint_id)
        from engine.webhook_endpoints where tenant_id = $2 and endpoint_id = $3
        returning event_id, created_at
      ),
      posted as (
        insert into engine.event_inbox (event_id) select event_id from told
      ),
      logged as (
        insert into engine.deliveries
          (delivery_id, tenant_id, endpoint_id, event_id, event_type, event_at, payload, status, attempts, lease_until, last_attempt_at)
        select $1, $2, $3, t.event_id, 'webhook.test', t.created_at,
               '', 'sending', 1, engine.now() + $4 * interval '1 millisecond', engine.now()
        from told t
      )
      select event_id, created_at from told`,
    values: [given.deliveryId, given.tenantId, given.endpointId, given.leaseMs],
  });
  return rows[0];
}

export async function setTestPayload(db: Queryable, deliveryId: string, payload: string): Promise<void> {
  await db.query({
    name: 'webhooks-set-test-payload',
    text: `update engine.deliveries set payload = $2 where delivery_id = $1`,
    values: [deliveryId, payload],
  });
}

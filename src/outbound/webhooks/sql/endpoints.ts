// Endpoints of one tenant, for its people. Every statement names the tenant; row-level security holds as well. None reads a secret.
import type { Queryable } from '../../../platform/database.ts';

export interface EndpointRow {
  readonly endpoint_id: string;
  readonly url: string;
  readonly description: string;
  readonly event_types: string[];
  readonly disabled_at: Date | null;
  readonly disabled_reason: 'person' | 'gone' | 'failing' | null;
  readonly failure_streak: number;
  readonly failing_since: Date | null;
  readonly paused_until: Date | null;
  readonly last_success_at: Date | null;
  readonly last_failure_at: Date | null;
  readonly last_error_code: string | null;
  readonly former_secret_until: Date | null;
  readonly waiting: number;
  readonly failed: number;
  readonly created_by: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** Counting stops at 1,000: beyond that a person wants to know "many". */
const counted = (condition: string) =>
  `(select count(*)::int from (
      select from engine.deliveries d where d.endpoint_id = e.endpoint_id and ${condition} limit 1000) as found)`;

const columns = `
  e.endpoint_id, e.url, e.description, e.event_types, e.disabled_at, e.disabled_reason, e.failure_streak, e.failing_since,
  case when e.paused_until > engine.now() then e.paused_until end as paused_until, e.last_success_at, e.last_failure_at,
  e.last_error_code, case when e.former_secret_until > engine.now() then e.former_secret_until end as former_secret_until,
  ${counted(`d.status in ('waiting', 'sending')`)} as waiting, ${counted(`d.status = 'failed'`)} as failed,
  e.created_by, e.created_at, e.updated_at`;

export async function listEndpoints(
  db: Queryable,
  tenantId: string,
  after: string | null,
  limit: number,
): Promise<EndpointRow[]> {
  const { rows } = await db.query<EndpointRow>({
    name: 'webhooks-list-endpoints',
    text: `
      select ${columns} from engine.webhook_endpoints e
      where e.tenant_id = $1 and ($2::uuid is null or e.endpoint_id > $2)
      order by e.endpoint_id
      limit $3`,
    values: [tenantId, after, limit],
  });
  return rows;
}

export async function findEndpoint(
  db: Queryable,
  tenantId: string,
  endpointId: string,
): Promise<EndpointRow | undefined> {
  const { rows } = await db.query<EndpointRow>({
    name: 'webhooks-find-endpoint',
    text: `select ${columns} from engine.webhook_endpoints e where e.tenant_id = $1 and e.endpoint_id = $2`,
    values: [tenantId, endpointId],
  });
  return rows[0];
}

export async function countEndpoints(db: Queryable, tenantId: string): Promise<number> {
  const { rows } = await db.query<{ count: number }>({
    name: 'webhooks-count-endpoints',
    text: `select count(*)::int as count from engine.webhook_endpoints where tenant_id = $1`,
    values: [tenantId],
  });
  return rows[0]?.count ?? 0;
}

export interface NewEndpoint {
  readonly endpointId: string;
  readonly tenantId: string;
  readonly url: string;
  readonly description: string;
  readonly eventTypes: readonly string[];
  readonly secret: Buffer;
  readonly createdBy: string | null;
}

export async function insertEndpoint(db: Queryable, endpoint: NewEndpoint): Promise<void> {
  await db.query({
    name: 'webhooks-insert-endpoint',
    text: `
      insert into engine.webhook_endpoints (endpoint_id, tenant_id, url, description, event_types, secret, created_by)
      values ($1, $2, $3, $4, $5, $6, $7)`,
    values: [
      endpoint.endpointId,
      endpoint.tenantId,
      endpoint.url,
      endpoint.description,
      endpoint.eventTypes,
      endpoint.secret,
      endpoint.createdBy,
    ],
  });
}

export interface EndpointChange {
  readonly url?: string | undefined;
  readonly description?: string | undefined;
  readonly eventTypes?: readonly string[] | undefined;
}

/** Another address starts with a clean slate: what the former one asked for or failed at is not its doing. */
export async function updateEndpoint(
  db: Queryable,
  tenantId: string,
  endpointId: string,
  change: EndpointChange,
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'webhooks-update-endpoint',
    text: `
      update engine.webhook_endpoints
      set url = coalesce($3, url), description = coalesce($4, description), event_types = coalesce($5, event_types),
          paused_until = case when $3 <> url then null else paused_until end,
          failure_streak = case when $3 <> url then 0 else failure_streak end,
          failing_since = case when $3 <> url then null else failing_since end,
          updated_at = engine.now()
      where tenant_id = $1 and endpoint_id = $2`,
    values: [tenantId, endpointId, change.url ?? null, change.description ?? null, change.eventTypes ?? null],
  });
  return rowCount === 1;
}

export async function deleteEndpoint(db: Queryable, tenantId: string, endpointId: string): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'webhooks-delete-endpoint',
    text: `delete from engine.webhook_endpoints where tenant_id = $1 and endpoint_id = $2`,
    values: [tenantId, endpointId],
  });
  return rowCount === 1;
}

/** Needs the engine's role: the application may not read the secret it puts aside. */
export async function rotateSecret(
  db: Queryable,
  given: { tenantId: string; endpointId: string; secret: Buffer; graceHours: number },
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'webhooks-rotate-secret',
    text: `
      update engine.webhook_endpoints
      set former_secret = case when $4::int > 0 then secret end,
          former_secret_until = case when $4::int > 0 then engine.now() + $4::int * interval '1 hour' end,
          secret = $3, updated_at = engine.now()
      where tenant_id = $1 and endpoint_id = $2`,
    values: [given.tenantId, given.endpointId, given.secret, given.graceHours],
  });
  return rowCount === 1;
}

/** Locks the endpoint before its deliveries are touched. Undefined: there is none. */
export async function lockEndpoint(
  db: Queryable,
  tenantId: string,
  endpointId: string,
): Promise<{ disabled_reason: string | null } | undefined> {
  const { rows } = await db.query<{ disabled_reason: string | null }>({
    name: 'webhooks-lock-endpoint',
    text: `
      select disabled_reason from engine.webhook_endpoints
      where tenant_id = $1 and endpoint_id = $2
      for no key update`,
    values: [tenantId, endpointId],
  });
  return rows[0];
}

export async function enableEndpoint(db: Queryable, tenantId: string, endpointId: string): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'webhooks-enable-endpoint',
    text: `
      update engine.webhook_endpoints
      set disabled_at = null, disabled_reason = null, failure_streak = 0, failing_since = null, paused_until = null,
          updated_at = engine.now()
      where tenant_id = $1 and endpoint_id = $2`,
    values: [tenantId, endpointId],
  });
  return rowCount === 1;
}

/** False when there is none, or when it is off already. */
export async function disableEndpoint(
  db: Queryable,
  tenantId: string,
  endpointId: string,
  reason: 'person' | 'gone' | 'failing',
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'webhooks-disable-endpoint',
    text: `
      update engine.webhook_endpoints
      set disabled_at = engine.now(), disabled_reason = $3, updated_at = engine.now()
      where tenant_id = $1 and endpoint_id = $2 and disabled_at is null`,
    values: [tenantId, endpointId, reason],
  });
  return rowCount === 1;
}

// Connectors of one tenant. Every statement names the tenant; row-level security holds as well.
import type { Queryable } from '../../../platform/database.ts';

export interface ConnectorRow {
  readonly connector_id: string;
  readonly tenant_id: string;
  readonly name: string;
  readonly connection_id: string;
  readonly workspace_id: string;
  readonly provider: string | null;
  readonly external_account_id: string;
  readonly interval_seconds: number | null;
  readonly enabled: boolean;
  readonly credential_kind: 'installation' | 'token' | 'client';
  readonly error_kinds: Readonly<Record<string, string>>;
  readonly consecutive_failures: number;
  readonly warned_at: Date | null;
  readonly disabled_at: Date | null;
  readonly disabled_reason: string | null;
  readonly last_started_at: Date | null;
  readonly last_success_started_at: Date | null;
  readonly last_success_at: Date | null;
  readonly last_error_code: string | null;
  readonly last_error_kind: string | null;
  readonly last_error_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  /** Of the tenant. */
  readonly plan: string;
  /** The engine's clock. */
  readonly now: Date;
}

const columns = `
  c.connector_id, c.tenant_id, c.name, c.connection_id, c.workspace_id, c.provider, c.external_account_id, c.interval_seconds, c.enabled,
  c.credential_kind, c.error_kinds, c.consecutive_failures, c.warned_at, c.disabled_at, c.disabled_reason, c.last_started_at,
  c.last_success_started_at, c.last_success_at, c.last_error_code, c.last_error_kind, c.last_error_at, c.created_at, c.updated_at,
  t.plan, engine.now() as now`;

export async function findConnector(
  db: Queryable,
  tenantId: string,
  connectorId: string,
): Promise<ConnectorRow | undefined> {
  const { rows } = await db.query<ConnectorRow>({
    name: 'syncs-find-connector',
    text: `
      select ${columns}
      from public.connectors c
      join public.tenants t on t.tenant_id = c.tenant_id
      where c.tenant_id = $1 and c.connector_id = $2`,
    values: [tenantId, connectorId],
  });
  return rows[0];
}

export async function listConnectors(
  db: Queryable,
  tenantId: string,
  after: string | null,
  limit: number,
): Promise<ConnectorRow[]> {
  const { rows } = await db.query<ConnectorRow>({
    name: 'syncs-list-connectors',
    text: `
      select ${columns}
      from public.connectors c
      join public.tenants t on t.tenant_id = c.tenant_id
      where c.tenant_id = $1 and ($2::uuid is null or c.connector_id > $2)
      order by c.connector_id
      limit $3`,
    values: [tenantId, after, limit],
  });
  return rows;
}

/** The sealed credential; null: the installation's own is used. */
export async function readCredential(
  db: Queryable,
  tenantId: string,
  connectorId: string,
): Promise<Buffer | null | undefined> {
  const { rows } = await db.query<{ credential: Buffer | null }>({
    name: 'syncs-read-credential',
    text: `select credential from public.connectors where tenant_id = $1 and connector_id = $2`,
    values: [tenantId, connectorId],
  });
  return rows[0]?.credential;
}

export async function findPlan(db: Queryable, tenantId: string): Promise<string | undefined> {
  const { rows } = await db.query<{ plan: string }>({
    name: 'syncs-find-plan',
    text: `select plan from public.tenants where tenant_id = $1`,
    values: [tenantId],
  });
  return rows[0]?.plan;
}

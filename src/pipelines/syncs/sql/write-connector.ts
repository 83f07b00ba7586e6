// Adds, changes and removes connectors.
import type { Queryable } from '../../../platform/database.ts';

export interface ConnectorDraft {
  readonly connectorId: string;
  readonly tenantId: string;
  readonly name: string;
  readonly connectionId: string;
  readonly workspaceId: string;
  readonly provider: string | null;
  readonly externalAccountId: string;
  readonly intervalSeconds: number | null;
  readonly enabled: boolean;
  readonly credential: Buffer | null;
  readonly credentialKind: string;
  readonly errorKinds: Readonly<Record<string, string>>;
  readonly createdBy: string | null;
}

export async function insertConnector(db: Queryable, draft: ConnectorDraft): Promise<void> {
  await db.query({
    name: 'syncs-insert-connector',
    text: `
      insert into public.connectors (
        connector_id, tenant_id, name, connection_id, workspace_id, external_account_id, interval_seconds, enabled, credential,
        credential_kind, error_kinds, created_by, provider
      ) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
    values: [
      draft.connectorId,
      draft.tenantId,
      draft.name,
      draft.connectionId,
      draft.workspaceId,
      draft.externalAccountId,
      draft.intervalSeconds,
      draft.enabled,
      draft.credential,
      draft.credentialKind,
      JSON.stringify(draft.errorKinds),
      draft.createdBy,
      draft.provider,
    ],
  });
}

export interface ConnectorChange {
  readonly name: string;
  readonly externalAccountId: string;
  readonly intervalSeconds: number | null;
  readonly enabled: boolean;
  readonly errorKinds: Readonly<Record<string, string>>;
  /** Undefined leaves the credential as it is. */
  readonly credential: { readonly sealed: Buffer | null; readonly kind: string } | undefined;
}

/** Switching a connector on again forgets its failures. */
export async function updateConnector(
  db: Queryable,
  tenantId: string,
  connectorId: string,
  change: ConnectorChange,
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'syncs-update-connector',
    text: `
      update public.connectors
      set name = $3, external_account_id = $4, interval_seconds = $5, enabled = $6, error_kinds = $7,
          credential = case when $8 then $9::bytea else credential end,
          credential_kind = case when $8 then $10::text else credential_kind end,
          consecutive_failures = case when $6 and not enabled then 0 else consecutive_failures end,
          warned_at = case when $6 and not enabled then null else warned_at end,
          disabled_at = case when $6 then null else disabled_at end,
          disabled_reason = case when $6 then null else disabled_reason end,
          updated_at = engine.now()
      where tenant_id = $1 and connector_id = $2`,
    values: [
      tenantId,
      connectorId,
      change.name,
      change.externalAccountId,
      change.intervalSeconds,
      change.enabled,
      JSON.stringify(change.errorKinds),
      change.credential !== undefined,
      change.credential?.sealed ?? null,
      change.credential?.kind ?? null,
    ],
  });
  return rowCount === 1;
}

/** Holds it until the transaction ends: no sync of it stores an intent meanwhile. False: there is none. */
export async function lockConnector(db: Queryable, tenantId: string, connectorId: string): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'syncs-lock-connector',
    text: `select from public.connectors where tenant_id = $1 and connector_id = $2 for update`,
    values: [tenantId, connectorId],
  });
  return rowCount === 1;
}

export async function deleteConnector(db: Queryable, tenantId: string, connectorId: string): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'syncs-delete-connector',
    text: `delete from public.connectors where tenant_id = $1 and connector_id = $2`,
    values: [tenantId, connectorId],
  });
  return rowCount === 1;
}

// A sync ended as a dead letter: the connector counts it, is warned about it, and is switched off after too many in a row.
import type { Queryable } from '../../../platform/database.ts';

export interface FailureCount {
  readonly consecutive_failures: number;
  readonly enabled: boolean;
  readonly warned: boolean;
}

export async function countFailure(
  db: Queryable,
  failure: { readonly tenantId: string; readonly connectorId: string; readonly code: string; readonly kind: string },
): Promise<FailureCount | undefined> {
  const { rows } = await db.query<FailureCount>({
    name: 'syncs-count-failure',
    text: `
      update public.connectors
      set consecutive_failures = consecutive_failures + 1, last_error_code = $3, last_error_kind = $4, last_error_at = engine.now(),
          updated_at = engine.now()
      where tenant_id = $1 and connector_id = $2
      returning consecutive_failures, enabled, warned_at is not null as warned`,
    values: [failure.tenantId, failure.connectorId, failure.code, failure.kind],
  });
  return rows[0];
}

export async function markWarned(db: Queryable, tenantId: string, connectorId: string): Promise<void> {
  await db.query({
    name: 'syncs-mark-warned',
    text: `update public.connectors set warned_at = engine.now() where tenant_id = $1 and connector_id = $2`,
    values: [tenantId, connectorId],
  });
}

export async function disableConnector(
  db: Queryable,
  tenantId: string,
  connectorId: string,
  reason: string,
): Promise<void> {
  await db.query({
    name: 'syncs-disable-connector',
    text: `
      update public.connectors
      set enabled = false, disabled_at = engine.now(), disabled_reason = $3, updated_at = engine.now()
      where tenant_id = $1 and connector_id = $2`,
    values: [tenantId, connectorId, reason],
  });
}

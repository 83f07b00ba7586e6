// Appends to the audit log. Under a tenant's session the entry belongs to that tenant; without one it belongs to nobody.
import type { Queryable } from '../../platform/database.ts';

export interface AuditInsert {
  readonly tenantId: string | null;
  readonly action: string;
  readonly outcome: 'done' | 'denied' | 'failed';
  readonly actorId: string | null;
  readonly actor: string | null;
  readonly actorRole: string | null;
  readonly target: string | null;
  readonly ip: string | null;
  readonly correlationId: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}

export async function insertAuditEntry(db: Queryable, entry: AuditInsert): Promise<void> {
  await db.query({
    name: 'access-insert-audit-entry',
    text: `
      insert into public.audit_log
        (tenant_id, action, outcome, actor_id, actor, actor_role, target, ip, correlation_id, data)
      values ($1, $2, $3, $4, $5, $6, $7, $8::inet, $9, $10)`,
    values: [
      entry.tenantId,
      entry.action,
      entry.outcome,
      entry.actorId,
      entry.actor,
      entry.actorRole,
      entry.target,
      entry.ip,
      entry.correlationId,
      entry.data,
    ],
  });
}

// One page of the audit log, newest first.
import type { Queryable } from '../../platform/database.ts';

export interface AuditRow {
  readonly audit_id: string;
  readonly at: Date;
  readonly action: string;
  readonly outcome: 'done' | 'denied' | 'failed';
  readonly actor: string | null;
  readonly actor_role: string | null;
  readonly target: string | null;
  readonly ip: string | null;
  readonly correlation_id: string | null;
  readonly data: Record<string, unknown>;
}

export interface AuditFilter {
  readonly tenantId: string;
  readonly before: string | null;
  readonly actions: readonly string[] | null;
  readonly actorId: string | null;
  readonly since: string | null;
  readonly until: string | null;
  readonly limit: number;
}

export async function listAuditEntries(db: Queryable, filter: AuditFilter): Promise<AuditRow[]> {
  const { rows } = await db.query<AuditRow>({
    name: 'access-list-audit-entries',
    text: `
      select audit_id::text, at, action, outcome, actor, actor_role, target, host(ip) as ip, correlation_id, data
      from public.audit_log
      where tenant_id = $1
        and ($2::bigint is null or audit_id < $2)
        and ($3::text[] is null or action = any ($3))
        and ($4::uuid is null or actor_id = $4)
        and ($5::timestamptz is null or at >= $5)
        and ($6::timestamptz is null or at < $6)
      order by audit_log.audit_id desc
      limit $7`,
    values: [filter.tenantId, filter.before, filter.actions, filter.actorId, filter.since, filter.until, filter.limit],
  });
  return rows;
}

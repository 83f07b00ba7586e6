// Tenants as the operator sees them, and the one a request works in.
import type { Queryable } from '../../platform/database.ts';

export type Plan = 'free' | 'growth' | 'enterprise';

export interface TenantRow {
  readonly tenant_id: string;
  readonly name: string;
  readonly plan: Plan;
  readonly created_at: Date;
}

export async function listTenants(db: Queryable): Promise<TenantRow[]> {
  const { rows } = await db.query<TenantRow>({
    name: 'access-list-tenants',
    text: 'select tenant_id, name, plan, created_at from public.tenants where not is_trial order by tenant_id',
  });
  return rows;
}

export async function findTenant(db: Queryable, tenantId: string): Promise<TenantRow | undefined> {
  const { rows } = await db.query<TenantRow>({
    name: 'access-find-tenant',
    text: 'select tenant_id, name, plan, created_at from public.tenants where tenant_id = $1',
    values: [tenantId],
  });
  return rows[0];
}

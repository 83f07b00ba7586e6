// Only the operator creates tenants and changes their plan.
import type { Queryable } from '../../platform/database.ts';
import type { Plan, TenantRow } from './list-tenants.ts';

export async function insertTenant(db: Queryable, tenantId: string, name: string, plan: Plan): Promise<TenantRow> {
  const { rows } = await db.query<TenantRow>({
    name: 'access-insert-tenant',
    text: `
      insert into public.tenants (tenant_id, name, plan) values ($1, $2, $3)
      returning tenant_id, name, plan, created_at`,
    values: [tenantId, name, plan],
  });
  return rows[0] as TenantRow;
}

/** For one command on an empty installation; it is in no list. */
export async function insertTrialTenant(db: Queryable, tenantId: string): Promise<void> {
  await db.query({
    name: 'access-insert-trial-tenant',
    text: `insert into public.tenants (tenant_id, name, is_trial) values ($1, 'golden path', true)`,
    values: [tenantId],
  });
}

/** The database removes no other tenant (policy trial_only). */
export async function deleteTrialTenant(db: Queryable, tenantId: string): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'access-delete-trial-tenant',
    text: `delete from public.tenants where tenant_id = $1 and is_trial`,
    values: [tenantId],
  });
  return rowCount === 1;
}

/** Those a killed command has left. */
export async function listTrialTenants(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ tenant_id: string }>({
    name: 'access-list-trial-tenants',
    text: `select tenant_id from public.tenants where is_trial and created_at < engine.now() - interval '1 hour'`,
  });
  return rows.map((row) => row.tenant_id);
}

export async function updateTenantPlan(db: Queryable, tenantId: string, plan: Plan): Promise<TenantRow | undefined> {
  const { rows } = await db.query<TenantRow>({
    name: 'access-update-tenant-plan',
    text: `
      update public.tenants set plan = $2, updated_at = engine.now() where tenant_id = $1
      returning tenant_id, name, plan, created_at`,
    values: [tenantId, plan],
  });
  return rows[0];
}

/** One process at a time makes the first tenant. Held until the transaction ends. */
export async function lockFirstStart(db: Queryable): Promise<void> {
  await db.query({
    name: 'access-lock-first-start',
    text: `select pg_advisory_xact_lock(hashtextextended('millrace.first_start', 0))`,
  });
}

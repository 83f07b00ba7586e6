// The backfill of rows without owner, type or time. As millrace_engine, which becomes other roles for the length of the transaction.
import { becomeRole } from '../../../engine/sql/become-role.ts';
import { enterTenant, type Queryable } from '../../../platform/database.ts';

export async function listUnfilledTenants(db: Queryable): Promise<string[]> {
  await becomeRole(db, 'items_cleanup');
  const { rows } = await db.query<{ tenant_id: string }>({
    name: 'items-list-unfilled-tenants',
    text: `select distinct tenant_id from public.job_items where job_type is null or updated_at is null`,
  });
  return rows.map(({ tenant_id: id }) => id);
}

export async function backfillItems(db: Queryable, tenantId: string, atMost: number): Promise<number> {
  await enterTenant(db, { tenantId, role: 'items_worker' });
  const { rows } = await db.query<{ filled: number }>({
    name: 'items-backfill',
    text: `select public.backfill_job_items($1) as filled`,
    values: [atMost],
  });
  return rows[0]?.filled ?? 0;
}

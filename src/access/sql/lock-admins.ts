// The admins of a tenant who can sign in, locked until the transaction ends: two admins who lower each other at the same moment
// must not leave the tenant without one.
import type { Queryable } from '../../platform/database.ts';

export async function lockAdmins(db: Queryable, tenantId: string): Promise<string[]> {
  const { rows } = await db.query<{ user_id: string }>({
    name: 'access-lock-admins',
    text: `
      select user_id from public.users
      where tenant_id = $1 and role = 'admin' and disabled_at is null
      order by user_id
      for update`,
    values: [tenantId],
  });
  return rows.map((row) => row.user_id);
}

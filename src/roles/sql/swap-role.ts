// Switches to another database role for a part of a transaction.
import type { Queryable } from '../../platform/database.ts';

/** Sets the role for the rest of the transaction and returns the one it had. */
export async function swapRole(tx: Queryable, role: string): Promise<string> {
  const { rows } = await tx.query<{ before: string }>({
    name: 'roles-swap-role',
    text: `
      with old as materialized (select current_setting('role') as role)
      select old.role as before, set_config('role', $1, true) from old`,
    values: [role],
  });
  return rows[0]?.before ?? 'none';
}

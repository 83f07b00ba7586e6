import type { Queryable } from '../../platform/database.ts';

/** For the rest of the transaction only the rights of this role. */
export async function becomeRole(db: Queryable, role: string): Promise<void> {
  await db.query({ name: 'engine-become-role', text: `select set_config('role', $1, true)`, values: [role] });
}

// One user of any tenant by their address, for the operator.
import type { Queryable } from '../../platform/database.ts';
import { type UserRow, userColumns } from './list-users.ts';

export interface UserOfTenant extends UserRow {
  readonly tenant_id: string;
}

export async function findUserByEmail(db: Queryable, email: string): Promise<UserOfTenant | undefined> {
  const { rows } = await db.query<UserOfTenant>({
    name: 'access-find-user-by-email',
    text: `select ${userColumns}, tenant_id from public.users where email = lower($1)`,
    values: [email.trim()],
  });
  return rows[0];
}

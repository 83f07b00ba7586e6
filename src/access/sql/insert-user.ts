// Adds and removes users. Ids come from the application (uuid v7); the email address is unique over all tenants.
import type { Role } from '../../contract/api/roles.ts';
import type { Queryable } from '../../platform/database.ts';
import { type UserRow, userColumns } from './list-users.ts';

export interface UserInsert {
  readonly userId: string;
  readonly tenantId: string;
  readonly email: string;
  readonly name: string | null;
  readonly role: Role;
  readonly passwordHash: string;
  readonly mustChangePassword: boolean;
}

export async function insertUser(db: Queryable, user: UserInsert): Promise<UserRow> {
  const { rows } = await db.query<UserRow>({
    name: 'access-insert-user',
    text: `
      insert into public.users (user_id, tenant_id, email, name, role, password_hash, must_change_password)
      values ($1, $2, $3, $4, $5, $6, $7)
      returning ${userColumns}`,
    values: [user.userId, user.tenantId, user.email, user.name, user.role, user.passwordHash, user.mustChangePassword],
  });
  return rows[0] as UserRow;
}

export async function deleteUser(db: Queryable, tenantId: string, userId: string): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'access-delete-user',
    text: 'delete from public.users where tenant_id = $1 and user_id = $2',
    values: [tenantId, userId],
  });
  return rowCount === 1;
}

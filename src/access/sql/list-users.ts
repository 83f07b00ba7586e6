// Users of a tenant, in the order they were added.
import type { Role } from '../../contract/api/roles.ts';
import type { Queryable } from '../../platform/database.ts';

export interface UserRow {
  readonly user_id: string;
  readonly email: string;
  readonly name: string | null;
  readonly role: Role;
  readonly disabled_at: Date | null;
  readonly must_change_password: boolean;
  readonly last_login_at: Date | null;
  readonly created_at: Date;
}

export const userColumns = 'user_id, email, name, role, disabled_at, must_change_password, last_login_at, created_at';

export async function listUsers(
  db: Queryable,
  tenantId: string,
  after: string | null,
  limit: number,
): Promise<UserRow[]> {
  const { rows } = await db.query<UserRow>({
    name: 'access-list-users',
    text: `
      select ${userColumns} from public.users
      where tenant_id = $1 and ($2::uuid is null or user_id > $2)
      order by user_id limit $3`,
    values: [tenantId, after, limit],
  });
  return rows;
}

export async function findUser(db: Queryable, tenantId: string, userId: string): Promise<UserRow | undefined> {
  const { rows } = await db.query<UserRow>({
    name: 'access-find-user',
    text: `select ${userColumns} from public.users where tenant_id = $1 and user_id = $2`,
    values: [tenantId, userId],
  });
  return rows[0];
}

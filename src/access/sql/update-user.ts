// Changes of one user. Whatever must end sessions raises token_version in the same statement.
import type { Role } from '../../contract/api/roles.ts';
import type { Queryable } from '../../platform/database.ts';
import { type UserRow, userColumns } from './list-users.ts';

export interface UserChange {
  readonly name?: string | undefined;
  readonly role?: Role | undefined;
  readonly disabled?: boolean | undefined;
}

export async function updateUser(
  db: Queryable,
  tenantId: string,
  userId: string,
  change: UserChange,
): Promise<UserRow | undefined> {
  const { rows } = await db.query<UserRow>({
    name: 'access-update-user',
    text: `
      update public.users set
        name = coalesce($3, name),
        role = coalesce($4, role),
        disabled_at = case $5::boolean when true then coalesce(disabled_at, engine.now()) when false then null else disabled_at end,
        token_version = token_version + case when $4 is distinct from role and $4 is not null or $5 then 1 else 0 end,
        updated_at = engine.now()
      where tenant_id = $1 and user_id = $2
      returning ${userColumns}`,
    values: [tenantId, userId, change.name ?? null, change.role ?? null, change.disabled ?? null],
  });
  return rows[0];
}

export interface PasswordRow extends UserRow {
  readonly tenant_id: string;
  readonly token_version: number;
}

export async function setPassword(
  db: Queryable,
  tenantId: string,
  userId: string,
  passwordHash: string,
  mustChange: boolean,
): Promise<PasswordRow | undefined> {
  const { rows } = await db.query<PasswordRow>({
    name: 'access-set-password',
    text: `
      update public.users
      set password_hash = $3, must_change_password = $4, one_time_used_at = null, token_version = token_version + 1, updated_at = engine.now()
      where tenant_id = $1 and user_id = $2
      returning ${userColumns}, tenant_id, token_version`,
    values: [tenantId, userId, passwordHash, mustChange],
  });
  return rows[0];
}

/** False: it has been used already. Of two sign-ins at the same moment one gets through. */
export async function takeOneTimePassword(db: Queryable, tenantId: string, userId: string): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'access-take-one-time-password',
    text: `
      update public.users set one_time_used_at = engine.now()
      where tenant_id = $1 and user_id = $2 and must_change_password and one_time_used_at is null`,
    values: [tenantId, userId],
  });
  return rowCount === 1;
}

export async function endSessions(db: Queryable, tenantId: string, userId: string): Promise<void> {
  await db.query({
    name: 'access-end-sessions',
    text: 'update public.users set token_version = token_version + 1, updated_at = engine.now() where tenant_id = $1 and user_id = $2',
    values: [tenantId, userId],
  });
}

export async function noteLogin(db: Queryable, tenantId: string, userId: string): Promise<void> {
  await db.query({
    name: 'access-note-login',
    text: 'update public.users set last_login_at = engine.now() where tenant_id = $1 and user_id = $2',
    values: [tenantId, userId],
  });
}

// What must still be true of a user for a token to be good: read under the tenant the token names.
import type { Role } from '../../contract/api/roles.ts';
import type { Queryable } from '../../platform/database.ts';

export interface SessionUserRow {
  readonly user_id: string;
  readonly email: string;
  readonly role: Role;
  readonly token_version: number;
  readonly must_change_password: boolean;
  readonly disabled_at: Date | null;
}

export async function findSessionUser(
  db: Queryable,
  tenantId: string,
  userId: string,
): Promise<SessionUserRow | undefined> {
  const { rows } = await db.query<SessionUserRow>({
    name: 'access-find-session-user',
    text: `
      select user_id, email, role, token_version, must_change_password, disabled_at
      from public.users where tenant_id = $1 and user_id = $2`,
    values: [tenantId, userId],
  });
  return rows[0];
}

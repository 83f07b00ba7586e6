// The one look-up that crosses tenants: an account by its exact email address, through the allow-listed definer function.
import type { Role } from '../../contract/api/roles.ts';
import type { Queryable } from '../../platform/database.ts';

export interface LoginRow {
  readonly user_id: string;
  readonly tenant_id: string;
  readonly email: string;
  readonly name: string | null;
  readonly password_hash: string;
  readonly role: Role;
  readonly token_version: number;
  readonly must_change_password: boolean;
  readonly disabled_at: Date | null;
  readonly tenant_name: string;
  readonly plan: 'free' | 'growth' | 'enterprise';
}

export async function findLogin(db: Queryable, email: string): Promise<LoginRow | undefined> {
  const { rows } = await db.query<LoginRow>({
    name: 'access-find-login',
    text: 'select * from public.find_login($1)',
    values: [email],
  });
  return rows[0];
}

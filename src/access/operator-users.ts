// What the operator does to a user of any tenant, named by their address. The rules of a tenant's own admin hold here too: the
// last admin stays. The audit log of the user's tenant records every action.
import { type Role, roles } from '../contract/api/roles.ts';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import type { Pool, Queryable } from '../platform/database.ts';
import { resetPassword, type UserWithPassword } from './operator.ts';
import { findUserByEmail, type UserOfTenant } from './sql/find-user-by-email.ts';
import { insertAuditEntry } from './sql/insert-audit-entry.ts';
import type { UserRow } from './sql/list-users.ts';
import type { UserChange } from './sql/update-user.ts';
import { asOperator } from './tenant-session.ts';
import { changeUser } from './users.ts';

export function setRole(pool: Pool, email: string, role: string): Promise<UserRow> {
  const known = roles.find((each): each is Role => each === role);
  if (known === undefined) throw new MillraceError('role_unknown', { role });
  return change(pool, email, { role: known }, 'users.role');
}

export function setDisabled(pool: Pool, email: string, disabled: boolean): Promise<UserRow> {
  return change(pool, email, { disabled }, disabled ? 'users.disable' : 'users.enable');
}

export async function resetPasswordOf(pool: Pool, email: string): Promise<UserWithPassword> {
  const user = await asOperator(pool, (db) => requireUser(db, email));
  return resetPassword(pool, user.tenant_id, user.user_id);
}

function change(pool: Pool, email: string, what: UserChange, action: string): Promise<UserRow> {
  return asOperator(pool, async (db) => {
    const user = await requireUser(db, email);
    const changed = await changeUser(db, user.tenant_id, user.user_id, what);
    await insertAuditEntry(db, {
      tenantId: user.tenant_id,
      action,
      outcome: 'done',
      actorId: null,
      actor: 'operator',
      actorRole: null,
      target: user.user_id,
      ip: null,
      correlationId: null,
      data: { ...what },
    });
    return changed;
  });
}

async function requireUser(db: Queryable, email: string): Promise<UserOfTenant> {
  const user = await findUserByEmail(db, email);
  if (!user) throw new MillraceError('user_unclear', { user: email });
  return user;
}

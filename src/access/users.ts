// The people of a tenant: adding, changing, removing, one-time passwords. The last admin stays.

import type { Role } from '../contract/api/roles.ts';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import type { Queryable } from '../platform/database.ts';
import { isUniqueViolation } from '../platform/database-errors.ts';
import { uuidv7 } from '../platform/ids.ts';
import { hashPassword, makeOneTimePassword } from './passwords.ts';
import { deleteUser, insertUser } from './sql/insert-user.ts';
import { findUser, type UserRow } from './sql/list-users.ts';
import { lockAdmins } from './sql/lock-admins.ts';
import { setPassword, type UserChange, updateUser } from './sql/update-user.ts';

export interface NewUser {
  readonly email: string;
  readonly name?: string | undefined;
  readonly role: Role;
}

const address = /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u;
const MAX_ADDRESS = 320;

/** A one-time password and its hash, made before any transaction is open: hashing takes a quarter of a second. */
export async function prepareOneTimePassword(): Promise<{ password: string; hash: string }> {
  const password = makeOneTimePassword();
  return { password, hash: await hashPassword(password) };
}

export async function addUser(
  db: Queryable,
  tenantId: string,
  user: NewUser,
  passwordHash: string,
  mustChangePassword = true,
): Promise<UserRow> {
  const email = user.email.trim().toLowerCase();
  if (!address.test(email) || email.length > MAX_ADDRESS) throw new MillraceError('email_invalid', { email });
  try {
    return await insertUser(db, {
      userId: uuidv7(),
      tenantId,
      email,
      name: user.name ?? null,
      role: user.role,
      passwordHash,
      mustChangePassword,
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw new MillraceError('email_taken', {}, { cause: error });
    throw error;
  }
}

export async function requireUser(db: Queryable, tenantId: string, userId: string): Promise<UserRow> {
  return (await findUser(db, tenantId, userId)) ?? missing(userId);
}

export async function changeUser(
  db: Queryable,
  tenantId: string,
  userId: string,
  change: UserChange,
): Promise<UserRow> {
  const losesAdmin = change.disabled === true || (change.role !== undefined && change.role !== 'admin');
  if (losesAdmin) await requireAnotherAdmin(db, tenantId, userId);
  return (await updateUser(db, tenantId, userId, change)) ?? missing(userId);
}

export async function removeUser(db: Queryable, tenantId: string, userId: string): Promise<void> {
  await requireAnotherAdmin(db, tenantId, userId);
  if (!(await deleteUser(db, tenantId, userId))) missing(userId);
}

export async function giveOneTimePassword(
  db: Queryable,
  tenantId: string,
  userId: string,
  passwordHash: string,
): Promise<UserRow> {
  return (await setPassword(db, tenantId, userId, passwordHash, true)) ?? missing(userId);
}

async function requireAnotherAdmin(db: Queryable, tenantId: string, userId: string): Promise<void> {
  const admins = await lockAdmins(db, tenantId);
  if (admins.length === 1 && admins[0] === userId) throw new MillraceError('last_admin', { user: userId });
}

function missing(userId: string): never {
  throw new MillraceError('user_not_found', { user: userId });
}

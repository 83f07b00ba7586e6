// Signing in: count the attempt, find the account, compare, note it, hand out a token. Unknown accounts, disabled ones and wrong
// passwords take the same steps and get the same answer.
import type { ErrorCode } from '../contract/errors/catalogue.ts';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import { type Pool, type Queryable, withTransaction } from '../platform/database.ts';
import { audit, auditStranger, type Origin } from './audit.ts';
import { admitAttempt, clearAttempts, type LoginLimits } from './login-limits.ts';
import { checkPassword } from './passwords.ts';
import type { Principal } from './principal.ts';
import type { Secrets } from './secrets.ts';
import { findLogin, type LoginRow } from './sql/find-login.ts';
import { noteLogin, takeOneTimePassword } from './sql/update-user.ts';
import { inTenant } from './tenant-session.ts';
import { signToken } from './tokens.ts';

export interface LoginOptions {
  readonly pool: Pool;
  readonly secrets: Secrets;
  readonly limits: LoginLimits;
  readonly expiryHours: number;
}

export interface IssuedSession {
  readonly token: string;
  readonly expiresAt: Date;
  readonly principal: Principal;
}

interface GivenPassword {
  readonly email: string;
  readonly password: string;
}

export async function login(options: LoginOptions, given: GivenPassword, origin: Origin): Promise<IssuedSession> {
  const account = await provePassword(options, given, origin, 'auth.login');
  const session = await issueSession(options, account);
  const { tenant_id: tenantId, user_id: userId } = account;
  const isLetIn = await inTenant(options.pool, tenantId, async (db) => {
    if (account.must_change_password && !(await takeOneTimePassword(db, tenantId, userId))) return false;
    await forgetAttempts(db, options, given, origin);
    await noteLogin(db, tenantId, userId);
    await audit(db, session.principal, origin, { action: 'auth.login' });
    return true;
  });
  if (isLetIn) return session;
  await noteRefusal(options.pool, account, origin, 'auth.login', 'one_time_password_used');
  throw new MillraceError('one_time_password_used');
}

/** The account whose password this is. Every attempt is counted; a refused one is noted under the action it was made for. */
export async function provePassword(
  options: LoginOptions,
  given: GivenPassword,
  origin: Origin,
  action: string,
): Promise<LoginRow> {
  await countOrRefuse(options, attemptOf(given, origin), origin, action);
  const account = await withTransaction(options.pool, (db) => findLogin(db, given.email.trim().toLowerCase()));
  const matches = await checkPassword(given.password, account?.password_hash);
  if (account !== undefined && matches && account.disabled_at === null) return account;
  await noteRefusal(options.pool, account, origin, action);
  throw new MillraceError('login_refused');
}

/** In the transaction of what the password was proven for. */
export function forgetAttempts(
  db: Queryable,
  { secrets }: LoginOptions,
  given: GivenPassword,
  origin: Origin,
): Promise<void> {
  return clearAttempts(db, secrets.attempts, attemptOf(given, origin));
}

function attemptOf({ email }: GivenPassword, { ip }: Origin) {
  return { email, ip: ip ?? '' };
}

export async function issueSession(
  options: Pick<LoginOptions, 'secrets' | 'expiryHours'>,
  account: Pick<LoginRow, 'user_id' | 'tenant_id' | 'email' | 'role' | 'token_version' | 'must_change_password'>,
): Promise<IssuedSession> {
  const expiresAt = new Date(Math.floor(Date.now() / 1000) * 1000 + options.expiryHours * 3_600_000);
  const claims = {
    userId: account.user_id,
    tenantId: account.tenant_id,
    role: account.role,
    version: account.token_version,
  };
  return {
    token: await signToken(options.secrets.token, claims, expiresAt),
    expiresAt,
    principal: principalOf(account, { mustChangePassword: account.must_change_password, expiresAt }),
  };
}

function principalOf(
  account: Pick<LoginRow, 'user_id' | 'tenant_id' | 'email' | 'role'>,
  session: Pick<Principal, 'mustChangePassword' | 'expiresAt'>,
): Principal {
  return {
    kind: 'user',
    tenantId: account.tenant_id,
    actorId: account.user_id,
    actor: account.email,
    role: account.role,
    scopes: null,
    ...session,
  };
}

async function countOrRefuse(
  { pool, secrets, limits }: LoginOptions,
  attempt: { email: string; ip: string },
  origin: Origin,
  action: string,
): Promise<void> {
  // The counting must stand even when the attempt is refused, so the refusal leaves the transaction as a value.
  const refusal = await withTransaction(pool, (db) =>
    admitAttempt(db, secrets.attempts, attempt, limits).catch((error: unknown) => {
      if (error instanceof MillraceError && error.code === 'login_limited') return error;
      throw error;
    }),
  );
  if (refusal === undefined) return;
  await auditStranger(pool, origin, { action, data: { code: refusal.code } });
  throw refusal;
}

/** A wrong password is written into the tenant's log, where its admins can see it. */
function noteRefusal(
  pool: Pool,
  account: LoginRow | undefined,
  origin: Origin,
  action: string,
  code: ErrorCode = 'login_refused',
): Promise<void> {
  const note = { action, outcome: 'denied', data: { code } } as const;
  if (account === undefined) return auditStranger(pool, origin, note);
  const who = principalOf(account, { mustChangePassword: false, expiresAt: null });
  return inTenant(pool, account.tenant_id, (db) => audit(db, who, origin, note));
}

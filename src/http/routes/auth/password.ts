// POST /v1/auth/password: proves the current password under the same limits as a sign-in, then ends all other sessions.
import { audit } from '../../../access/audit.ts';
import { issueSession, login } from '../../../access/login.ts';
import { hashPassword } from '../../../access/passwords.ts';
import { setPassword } from '../../../access/sql/update-user.ts';
import { inTenant } from '../../../access/tenant-session.ts';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { handle } from '../../call.ts';
import { readSessionCookie } from '../../session-cookie.ts';
import { answerSession } from './session-answer.ts';

export const changePassword = handle('auth.password', async (call) => {
  const { app, principal, origin, body, request } = call;
  if (principal.kind !== 'user' || principal.membershipId !== undefined) throw new MillraceError('people_only');
  if (body.new === body.current) throw new MillraceError('password_weak', { reason: 'it is the current one' });
  const options = {
    pool: app.pool,
    secrets: app.secrets,
    limits: app.settings.loginLimits,
    expiryHours: app.settings.jwtExpiryHours,
  };
  await login(options, { email: principal.actor, password: body.current }, origin);
  const hash = await hashPassword(body.new);
  const account = await inTenant(app.pool, principal.tenantId, async (db) => {
    const changed = await setPassword(db, principal.tenantId, principal.actorId, hash, false);
    if (changed === undefined) throw new MillraceError('unauthenticated');
    await audit(db, principal, origin, { action: 'auth.password' });
    return changed;
  });
  app.authenticator.forget(principal.tenantId, principal.actorId);
  const wantsCookie =
    request.headers.authorization === undefined && readSessionCookie(request.headers.cookie) !== undefined;
  return answerSession(call, await issueSession(options, account), wantsCookie);
});

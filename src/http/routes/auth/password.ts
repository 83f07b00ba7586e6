// POST /v1/auth/password: proves the current password under the same limits as a sign-in, then ends all other sessions.
import { forgetAttempts, issueSession, provePassword } from '../../../access/login.ts';
import { hashPassword } from '../../../access/passwords.ts';
import { setPassword } from '../../../access/sql/update-user.ts';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { handle } from '../../call.ts';
import { readSessionCookie } from '../../session-cookie.ts';
import { change } from '../change.ts';
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
  const attempt = { email: principal.actor, password: body.current };
  await provePassword(options, attempt, origin, call.operation);
  const hash = await hashPassword(body.new);
  const account = await change(
    call,
    async (db, tenantId) => {
      await forgetAttempts(db, options, attempt, origin);
      const changed = await setPassword(db, tenantId, principal.actorId, hash, false);
      if (changed === undefined) throw new MillraceError('unauthenticated');
      return changed;
    },
    () => ({}),
  );
  app.authenticator.forget(principal.tenantId, principal.actorId);
  const wantsCookie =
    request.headers.authorization === undefined && readSessionCookie(request.headers.cookie) !== undefined;
  return answerSession(call, await issueSession(options, account), wantsCookie);
});

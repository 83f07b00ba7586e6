// POST /v1/auth/logout: every session of this user ends.
import { endSessions } from '../../../access/sql/update-user.ts';
import { handle } from '../../call.ts';
import { clearSessionCookie } from '../../session-cookie.ts';
import { change } from '../change.ts';
import { needsSecure } from './session-answer.ts';

export const logout = handle('auth.logout', async (call) => {
  const { app, principal, reply } = call;
  await change(
    call,
    (db, tenantId) => endSessions(db, tenantId, principal.actorId),
    () => ({}),
  );
  app.authenticator.forget(principal.tenantId, principal.actorId);
  reply.header('set-cookie', clearSessionCookie(needsSecure(call)));
  return undefined;
});

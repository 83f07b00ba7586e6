// POST /v1/auth/logout: every session of this user ends.
import { audit } from '../../../access/audit.ts';
import { endSessions } from '../../../access/sql/update-user.ts';
import { inTenant } from '../../../access/tenant-session.ts';
import { handle } from '../../call.ts';
import { clearSessionCookie } from '../../session-cookie.ts';
import { needsSecure } from './session-answer.ts';

export const logout = handle('auth.logout', async (call) => {
  const { app, principal, origin, reply } = call;
  await inTenant(app.pool, principal.tenantId, async (db) => {
    await endSessions(db, principal.tenantId, principal.actorId);
    await audit(db, principal, origin, { action: 'auth.logout' });
  });
  app.authenticator.forget(principal.tenantId, principal.actorId);
  reply.header('set-cookie', clearSessionCookie(needsSecure(call)));
  return undefined;
});

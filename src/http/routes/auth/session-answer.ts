// What a signed-in caller is told about themselves, and the answer that carries a new session.
import type { IssuedSession } from '../../../access/login.ts';
import type { Principal } from '../../../access/principal.ts';
import { findTenant } from '../../../access/sql/list-tenants.ts';
import { findUser } from '../../../access/sql/list-users.ts';
import { inTenant } from '../../../access/tenant-session.ts';
import type { AnswerOf } from '../../../contract/api/client.ts';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { isLoopback } from '../../../platform/loopback.ts';
import type { AppContext } from '../../app-context.ts';
import type { Call } from '../../call.ts';
import { writeSessionCookie } from '../../session-cookie.ts';

export function describePrincipal(app: AppContext, principal: Principal): Promise<AnswerOf<'auth.me'>> {
  const { tenantId, actorId, kind } = principal;
  return inTenant(app.pool, tenantId, async (db) => {
    const tenant = await findTenant(db, tenantId);
    if (tenant === undefined) throw new MillraceError('unauthenticated');
    const user = kind === 'user' ? await findUser(db, tenantId, actorId) : undefined;
    return {
      user_id: kind === 'user' ? actorId : null,
      email: kind === 'user' ? principal.actor : null,
      name: user?.name ?? null,
      role: principal.role,
      scopes: principal.scopes === null ? null : [...principal.scopes],
      must_change_password: principal.mustChangePassword,
      tenant: { tenant_id: tenantId, name: tenant.name, plan: tenant.plan },
      expires_at: principal.expiresAt?.toISOString() ?? null,
    };
  });
}

export async function answerSession(
  call: Pick<Call<'auth.login'>, 'app' | 'request' | 'reply'>,
  session: IssuedSession,
  wantsCookie: boolean,
): Promise<AnswerOf<'auth.login'>> {
  const me = await describePrincipal(call.app, session.principal);
  const expires_at = session.expiresAt.toISOString();
  if (!wantsCookie) return { token: session.token, token_type: 'Bearer', expires_at, me };
  call.reply.header('set-cookie', writeSessionCookie(session.token, session.expiresAt, needsSecure(call)));
  return { expires_at, me };
}

/** Plain HTTP is only expected on this machine. */
export function needsSecure({ request }: Pick<Call<'auth.login'>, 'request'>): boolean {
  return request.protocol === 'https' || !isLoopback(request.hostname);
}

// Who is calling, decided before a byte of the body is read: bearer token, API key or session cookie; then whether the route table
// lets them. Refusals are audited. The tenant comes from here and from nowhere else.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { auditStranger } from '../../access/audit.ts';
import { authorize, type Principal } from '../../access/principal.ts';
import { createShortCache } from '../../access/short-cache.ts';
import { localPrincipal } from '../../access/without-authentication.ts';
import type { OperationId } from '../../contract/api/operations.ts';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { isLoopback } from '../../platform/loopback.ts';
import type { AppContext } from '../app-context.ts';
import { noteDenial } from '../audit-trail.ts';
import { originOf } from '../origin.ts';
import { readSessionCookie } from '../session-cookie.ts';
import { createRefusalBudget } from './refusal-budget.ts';

/** Open to someone who still has to choose a password. */
const beforePassword: ReadonlySet<OperationId> = new Set(['auth.me', 'auth.password', 'auth.logout']);
const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

export function authenticateRequests(server: FastifyInstance, app: AppContext): void {
  const locals = createShortCache<Principal>({ ttlMs: 10_000, maxKeys: 100 });
  const mayWrite = createRefusalBudget();
  server.decorateRequest('principal', null);
  server.addHook('onRequest', async (request) => {
    const { operation, spec } = request.routeOptions.config;
    if (operation === undefined || spec === undefined) return;
    const { access } = spec;
    if (access.kind === 'public') return;
    const principal = app.settings.authEnabled
      ? await identify(app, request, operation, mayWrite)
      : await identifyLocal(app, request, locals);
    request.principal = principal;
    try {
      authorize(principal, access);
      if (principal.mustChangePassword && !beforePassword.has(operation))
        throw new MillraceError('password_change_required');
    } catch (error) {
      await noteDenial(app, { operation, principal, origin: originOf(request) }, error);
      throw error;
    }
  });
}

/** For streams: the same credential, looked at again. */
export async function isStillAllowed(
  app: Pick<AppContext, 'authenticator' | 'settings'>,
  request: FastifyRequest,
  principal: Principal,
): Promise<boolean> {
  if (!app.settings.authEnabled) return true;
  try {
    const now = await app.authenticator.authenticate(...credentialOf(request));
    return now.tenantId === principal.tenantId && now.role === principal.role;
  } catch (error) {
    if (error instanceof MillraceError && error.kind === 'auth') return false;
    throw error;
  }
}

function credentialOf(request: FastifyRequest): [credential: string, reach?: string] {
  const bearer = bearerOf(request);
  const cookie = bearer === undefined ? readSessionCookie(request.headers.cookie) : undefined;
  const credential = bearer ?? cookie;
  if (credential === undefined) throw new MillraceError('unauthenticated');
  if (cookie !== undefined) requireOwnOrigin(request);
  const reach = request.headers['millrace-tenant'];
  return typeof reach === 'string' ? [credential, reach] : [credential];
}

async function identify(
  app: AppContext,
  request: FastifyRequest,
  operation: OperationId,
  mayWrite: (address: string) => boolean,
): Promise<Principal> {
  const [credential, reach] = credentialOf(request);
  // One signs out of one's own account, wherever one is looking.
  const given: [string, string?] =
    reach === undefined || operation === 'auth.logout' ? [credential] : [credential, reach];
  try {
    return await app.authenticator.authenticate(...given);
  } catch (error) {
    if (error instanceof MillraceError && error.kind === 'auth') {
      const note = { action: operation, data: { code: error.code } };
      if (mayWrite(request.ip)) await auditStranger(app.pool, originOf(request), note).catch(() => undefined);
    }
    throw error;
  }
}

/** Without authentication only this machine may call, and not through a name that somebody pointed at it. */
function identifyLocal(
  app: AppContext,
  request: FastifyRequest,
  locals: { get(key: string, load: () => Promise<Principal>): Promise<Principal> },
): Promise<Principal> {
  if (!isLoopback(request.hostname)) throw new MillraceError('origin_refused');
  requireOwnOrigin(request);
  const { tenant_id: wanted } = request.query as { tenant_id?: unknown };
  const tenantId = typeof wanted === 'string' ? wanted : undefined;
  return locals.get(tenantId ?? '', () => localPrincipal(app.pool, tenantId));
}

/** A cookie travels with requests that other sites provoke; those name their origin. */
function requireOwnOrigin(request: FastifyRequest): void {
  const site = request.headers['sec-fetch-site'];
  const { origin } = request.headers;
  const isUpgrade = request.headers.upgrade !== undefined;
  if (safeMethods.has(request.method) && !isUpgrade) return;
  const isOwn = origin === undefined ? site === 'same-origin' || site === undefined : hostOf(origin) === request.host;
  const isNavigation = site === 'cross-site' || site === 'same-site';
  if (!isOwn || isNavigation) throw new MillraceError('origin_refused');
}

function bearerOf(request: FastifyRequest): string | undefined {
  const header = request.headers.authorization;
  if (header === undefined) return undefined;
  const match = /^Bearer +([^\s]+)$/i.exec(header);
  if (match?.[1] === undefined) throw new MillraceError('unauthenticated');
  return match[1];
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}

// From a credential to a principal. The token says who; the database says whether that is still so. That answer is remembered for
// a few seconds, so a removed, lowered or signed-out user, a revoked key or an ended membership loses access well within 60 s.
import { MillraceError } from '../contract/errors/millrace-error.ts';
import type { Pool } from '../platform/database.ts';
import { API_KEY_PREFIX, isSecretOf, type ParsedApiKey, parseApiKey } from './api-key-text.ts';
import type { Principal } from './principal.ts';
import { createShortCache } from './short-cache.ts';
import { type ApiKeySecretRow, findApiKey, noteApiKeyUse } from './sql/find-api-key.ts';
import { findLiveMembership, type LiveMembershipRow } from './sql/find-live-membership.ts';
import { findSessionUser, type SessionUserRow } from './sql/find-session-user.ts';
import { inTenant } from './tenant-session.ts';
import { verifyToken } from './tokens.ts';

export interface AuthenticatorOptions {
  readonly pool: Pool;
  readonly tokenSecret: Uint8Array;
  /** How long an answer of the database is trusted. Must stay below 60 s. */
  readonly trustMs?: number;
  readonly nowMs?: () => number;
}

export interface Authenticator {
  /** `reach` is the tenant a support person asks for (header Millrace-Tenant), if any. */
  authenticate(credential: string, reach?: string): Promise<Principal>;
  /** Forget what is remembered of a user, key or membership, so that a change made here is seen here at once. */
  forget(tenantId: string, id: string): void;
}

const DEFAULT_TRUST_MS = 15_000;
const MAX_REMEMBERED = 20_000;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { pool, tokenSecret } = options;
  const remember = {
    ttlMs: options.trustMs ?? DEFAULT_TRUST_MS,
    maxKeys: MAX_REMEMBERED,
    ...(options.nowMs ? { nowMs: options.nowMs } : {}),
  };
  const users = createShortCache<SessionUserRow | undefined>(remember);
  const keys = createShortCache<ApiKeySecretRow | undefined>(remember);
  const memberships = createShortCache<LiveMembershipRow | undefined>(remember);

  async function byToken(token: string): Promise<Principal> {
    const claims = await verifyToken(tokenSecret, token);
    const user = await users.get(rememberedAs(claims.tenantId, claims.userId), () =>
      inTenant(pool, claims.tenantId, (db) => findSessionUser(db, claims.tenantId, claims.userId)),
    );
    const isCurrent =
      user !== undefined &&
      user.disabled_at === null &&
      user.token_version === claims.version &&
      user.role === claims.role;
    if (!isCurrent) throw new MillraceError('unauthenticated');
    return {
      kind: 'user',
      tenantId: claims.tenantId,
      actorId: user.user_id,
      actor: user.email,
      role: user.role,
      scopes: null,
      mustChangePassword: user.must_change_password,
      expiresAt: claims.expiresAt,
    };
  }

  async function byKey(parsed: ParsedApiKey): Promise<Principal> {
    const key = await keys.get(rememberedAs(parsed.tenantId, parsed.keyId), () => loadKey(pool, parsed));
    if (key === undefined || !isSecretOf(parsed.secret, key.secret_hash)) throw new MillraceError('unauthenticated');
    return {
      kind: 'key',
      tenantId: parsed.tenantId,
      actorId: key.key_id,
      actor: `key:${key.name}`,
      role: 'service',
      scopes: key.scopes,
      mustChangePassword: false,
      expiresAt: key.expires_at,
    };
  }

  /** Unknown tenants and tenants without a membership answer alike. */
  async function reachTenant(home: Principal, tenantId: string): Promise<Principal> {
    if (tenantId === home.tenantId) return home;
    if (home.role !== 'support' || !uuid.test(tenantId)) throw new MillraceError('tenant_unreachable');
    const membership = await memberships.get(rememberedAs(tenantId, home.actorId), () =>
      inTenant(pool, tenantId, (db) => findLiveMembership(db, tenantId, home.actorId)),
    );
    const isLive = membership !== undefined && membership.expires_at.getTime() > Date.now();
    if (!isLive) throw new MillraceError('tenant_unreachable');
    return { ...home, tenantId, membershipId: membership.membership_id };
  }

  return {
    async authenticate(credential, reach) {
      const parsed = credential.startsWith(API_KEY_PREFIX) ? parseApiKey(credential) : undefined;
      const principal = parsed ? await byKey(parsed) : await byToken(credential);
      return reach === undefined ? principal : reachTenant(principal, reach.toLowerCase());
    },
    forget(tenantId, id) {
      users.forget(rememberedAs(tenantId, id));
      keys.forget(rememberedAs(tenantId, id));
      memberships.forget(rememberedAs(tenantId, id));
    },
  };
}

/** Whatever is remembered was found under one tenant and holds for that tenant only: the tenant a credential names is a claim. */
function rememberedAs(tenantId: string, id: string): string {
  return `${tenantId} ${id}`;
}

async function loadKey(pool: Pool, { tenantId, keyId }: ParsedApiKey): Promise<ApiKeySecretRow | undefined> {
  return inTenant(pool, tenantId, async (db) => {
    const key = await findApiKey(db, tenantId, keyId);
    if (key !== undefined) await noteApiKeyUse(db, tenantId, keyId);
    return key;
  });
}

// Session tokens: JWT, HS256 only, with sub, tenant_id, role, exp, and ver, the user's token_version at sign-in. Whatever else a
// header can carry (kid, jku, jwk, x5u, crit, another alg) is refused before any of it is looked at.
import { decodeProtectedHeader, jwtVerify, SignJWT } from 'jose';
import { type Role, roles } from '../contract/api/roles.ts';
import { MillraceError } from '../contract/errors/millrace-error.ts';

export interface TokenClaims {
  readonly userId: string;
  readonly tenantId: string;
  readonly role: Role;
  readonly version: number;
  readonly expiresAt: Date;
}

const ISSUER = 'millrace';
const MAX_LENGTH = 2_048;
/** The last second a date can hold; a later one is no time at all. */
const LAST_SECOND = 8_640_000_000_000;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export async function signToken(
  secret: Uint8Array,
  claims: Omit<TokenClaims, 'expiresAt'>,
  expiresAt: Date,
): Promise<string> {
  return new SignJWT({ tenant_id: claims.tenantId, role: claims.role, ver: claims.version })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setSubject(claims.userId)
    .setIssuer(ISSUER)
    .setIssuedAt()
    .setExpirationTime(Math.floor(expiresAt.getTime() / 1000))
    .sign(secret);
}

/** The claims of a token that is ours, whole and in time; anything else is one and the same refusal. */
export async function verifyToken(secret: Uint8Array, token: string): Promise<TokenClaims> {
  try {
    if (token.length > MAX_LENGTH) throw new Error('too long');
    requirePlainHeader(token);
    const { payload } = await jwtVerify(token, secret, {
      algorithms: ['HS256'],
      issuer: ISSUER,
      requiredClaims: ['sub', 'exp', 'iat', 'tenant_id', 'role', 'ver'],
    });
    return readClaims(payload);
  } catch (error) {
    throw new MillraceError('unauthenticated', {}, { cause: error });
  }
}

function requirePlainHeader(token: string): void {
  const header = decodeProtectedHeader(token);
  const unexpected = Object.keys(header).filter((name) => name !== 'alg' && name !== 'typ');
  if (header.alg !== 'HS256' || unexpected.length > 0) throw new Error('header not ours');
}

function readClaims(payload: Record<string, unknown>): TokenClaims {
  const { sub, tenant_id: tenantId, role, ver, exp } = payload;
  const isWhole =
    typeof sub === 'string' &&
    uuid.test(sub) &&
    typeof tenantId === 'string' &&
    uuid.test(tenantId) &&
    typeof ver === 'number' &&
    typeof exp === 'number' &&
    exp <= LAST_SECOND &&
    isRole(role);
  if (!isWhole) throw new Error('claims not ours');
  return { userId: sub, tenantId, role, version: ver, expiresAt: new Date(exp * 1000) };
}

function isRole(value: unknown): value is Role {
  return (roles as readonly unknown[]).includes(value);
}

// Every way to present a token that this server did not sign for this purpose must end in the same refusal.
import { createSign, generateKeyPairSync } from 'node:crypto';
import { SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import type { MillraceError } from '../contract/errors/millrace-error.ts';
import { deriveSecrets } from './secrets.ts';
import { signToken, verifyToken } from './tokens.ts';

const { token: secret } = deriveSecrets(Buffer.alloc(32, 7));
const userId = '0190a7a0-0000-7000-8000-000000000001';
const tenantId = '0190a7a0-0000-7000-8000-000000000002';
const claims = { userId, tenantId, role: 'user', version: 3 } as const;
const inAnHour = () => new Date(Math.floor(Date.now() / 1000) * 1000 + 3_600_000);
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const payload = (extra: object = {}) => ({
  iss: 'millrace',
  sub: userId,
  tenant_id: tenantId,
  role: 'admin',
  ver: 3,
  iat: Math.floor(Date.now() / 1000),
  exp: Math.floor(Date.now() / 1000) + 3600,
  ...extra,
});
const signed = (header: { alg: string; [name: string]: unknown }, body: object, key: Uint8Array = secret) =>
  new SignJWT(body as Record<string, unknown>).setProtectedHeader(header).sign(key);

const outcome = (token: string) =>
  verifyToken(secret, token).then(
    () => 'accepted',
    (error: MillraceError) => error.code,
  );

describe('session tokens', () => {
  it('a token we signed gives back its claims', async () => {
    const expiresAt = inAnHour();
    const token = await signToken(secret, claims, expiresAt);
    expect(await verifyToken(secret, token)).toEqual({ ...claims, expiresAt });
  });

  it('carries sub, tenant_id, role and exp', async () => {
    const token = await signToken(secret, claims, inAnHour());
    const body = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    expect(body).toMatchObject({ sub: userId, tenant_id: tenantId, role: 'user', exp: expect.any(Number) });
  });

  it('alg none is refused, whatever its spelling, with and without a signature', async () => {
    for (const alg of ['none', 'None', 'NONE', 'nOnE', '']) {
      expect(await outcome(`${part({ alg, typ: 'JWT' })}.${part(payload())}.`)).toBe('unauthenticated');
      expect(await outcome(`${part({ alg, typ: 'JWT' })}.${part(payload())}.c2ln`)).toBe('unauthenticated');
    }
  });

  it('another algorithm is refused, also HS512 with the right secret and RS256 with a key of the attacker', async () => {
    expect(await outcome(await signed({ alg: 'HS512' }, payload(), Buffer.alloc(64, 7)))).toBe('unauthenticated');
    expect(await outcome(await signed({ alg: 'HS384' }, payload(), secret))).toBe('unauthenticated');
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const head = `${part({ alg: 'RS256', typ: 'JWT' })}.${part(payload())}`;
    expect(await outcome(`${head}.${createSign('sha256').update(head).sign(privateKey).toString('base64url')}`)).toBe(
      'unauthenticated',
    );
  });

  it('kid, jku, jwk, x5u, x5c and crit in the header are refused even when the signature is right', async () => {
    for (const extra of [
      { kid: '../../dev/null' },
      { kid: "' union select 'secret" },
      { jku: 'http://127.0.0.1:1/keys' },
      { jwk: { kty: 'oct', k: Buffer.from(secret).toString('base64url') } },
      { x5u: 'http://127.0.0.1:1/cert' },
      { x5c: ['AAAA'] },
    ])
      expect(await outcome(await signed({ alg: 'HS256', ...extra }, payload()))).toBe('unauthenticated');
  });

  it('expired, not yet valid and timeless tokens are refused', async () => {
    const now = Math.floor(Date.now() / 1000);
    expect(await outcome(await signed({ alg: 'HS256' }, payload({ exp: now - 1 })))).toBe('unauthenticated');
    expect(await outcome(await signed({ alg: 'HS256' }, payload({ nbf: now + 600 })))).toBe('unauthenticated');
    const { exp, ...timeless } = payload();
    expect(exp).toBeGreaterThan(now);
    expect(await outcome(await signed({ alg: 'HS256' }, timeless))).toBe('unauthenticated');
  });

  it('one that expires after the end of all dates is refused', async () => {
    for (const exp of [1e99, 8_640_000_000_001])
      expect(await outcome(await signed({ alg: 'HS256' }, payload({ exp })))).toBe('unauthenticated');
  });

  it('a foreign secret, issuer, role or shape of id is refused', async () => {
    expect(await outcome(await signed({ alg: 'HS256' }, payload(), Buffer.alloc(32, 8)))).toBe('unauthenticated');
    expect(await outcome(await signed({ alg: 'HS256' }, payload({ iss: 'someone-else' })))).toBe('unauthenticated');
    expect(await outcome(await signed({ alg: 'HS256' }, payload({ role: 'root' })))).toBe('unauthenticated');
    expect(await outcome(await signed({ alg: 'HS256' }, payload({ tenant_id: "x' or true" })))).toBe('unauthenticated');
    expect(await outcome(await signed({ alg: 'HS256' }, payload({ ver: '3' })))).toBe('unauthenticated');
  });

  it('a claim changed after signing is refused', async () => {
    const [head, , signature] = (await signToken(secret, claims, inAnHour())).split('.');
    expect(await outcome(`${head}.${part(payload({ role: 'admin' }))}.${signature}`)).toBe('unauthenticated');
  });

  it('rubbish is refused: empty, too long, too many parts', async () => {
    for (const text of ['', 'a.b.c', 'x'.repeat(100_000), `${await signToken(secret, claims, inAnHour())}.x`])
      expect(await outcome(text)).toBe('unauthenticated');
  });
});

// The text of an API key: `mrk_<tenant and key id>.<secret>`. Naming the tenant lets the look-up run under that tenant's row-level
// security; the secret (32 random bytes) proves it. Only the secret's SHA-256 is stored, which is enough for 256 random bits.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

export const API_KEY_PREFIX = 'mrk_';
const shape = /^mrk_([A-Za-z0-9_-]{43})\.([A-Za-z0-9_-]{43})$/;

export interface ParsedApiKey {
  readonly tenantId: string;
  readonly keyId: string;
  readonly secret: Buffer;
}

export function makeApiKey(tenantId: string, keyId: string): { text: string; secretHash: Buffer } {
  const secret = randomBytes(32);
  const ids = Buffer.concat([uuidBytes(tenantId), uuidBytes(keyId)]).toString('base64url');
  return { text: `${API_KEY_PREFIX}${ids}.${secret.toString('base64url')}`, secretHash: hashSecret(secret) };
}

/** undefined when the text has not the shape of a key. */
export function parseApiKey(text: string): ParsedApiKey | undefined {
  const match = shape.exec(text);
  if (match === null) return undefined;
  const ids = Buffer.from(match[1] ?? '', 'base64url');
  return {
    tenantId: uuidText(ids.subarray(0, 16)),
    keyId: uuidText(ids.subarray(16, 32)),
    secret: Buffer.from(match[2] ?? '', 'base64url'),
  };
}

function hashSecret(secret: Buffer): Buffer {
  return createHash('sha256').update(secret).digest();
}

export function isSecretOf(secret: Buffer, secretHash: Buffer): boolean {
  return timingSafeEqual(hashSecret(secret), secretHash);
}

function uuidBytes(id: string): Buffer {
  return Buffer.from(id.replaceAll('-', ''), 'hex');
}

function uuidText(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

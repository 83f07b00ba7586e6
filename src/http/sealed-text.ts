// Text sealed with AES-256-GCM, for answers we must be able to repeat and that may hold a secret shown once.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const IV_BYTES = 12;
const TAG_BYTES = 16;

export function seal(secret: Uint8Array, text: string): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', secret, iv);
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]);
}

/** undefined when it was sealed with another secret, or altered. */
export function unseal(secret: Uint8Array, sealed: Buffer): string | undefined {
  try {
    const cipher = createDecipheriv('aes-256-gcm', secret, sealed.subarray(0, IV_BYTES));
    cipher.setAuthTag(sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    return cipher.update(sealed.subarray(IV_BYTES + TAG_BYTES), undefined, 'utf8') + cipher.final('utf8');
  } catch {
    return undefined;
  }
}

// Credentials of connectors at rest: AES-256-GCM, bound to their connector, so that a sealed text moved to another row does not
// open. The key comes from the configuration, or is generated at the first start and kept in MILLRACE_HOME for this user only.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { chmod, link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

export interface SecretBox {
  seal(connectorId: string, text: string): Buffer;
  /** Undefined when it was sealed with another key, for another connector, or altered. */
  open(connectorId: string, sealed: Buffer): string | undefined;
}

const FORMAT = 1;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const FILE = 'connector-key';

export async function openSecretBox(options: { secretKey?: string | undefined; home: string }): Promise<SecretBox> {
  const root =
    options.secretKey === undefined ? await readOrMakeKey(options.home) : Buffer.from(options.secretKey, 'utf8');
  return createSecretBox(new Uint8Array(hkdfSync('sha256', root, 'millrace', 'connector credentials', KEY_BYTES)));
}

export function createSecretBox(key: Uint8Array): SecretBox {
  return {
    seal(connectorId, text) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(connectorId));
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([Buffer.from([FORMAT]), iv, cipher.getAuthTag(), sealed]);
    },
    open(connectorId, sealed) {
      try {
        if (sealed[0] !== FORMAT) return undefined;
        const body = sealed.subarray(1);
        const decipher = createDecipheriv('aes-256-gcm', key, body.subarray(0, IV_BYTES))
          .setAAD(Buffer.from(connectorId))
          .setAuthTag(body.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
        return decipher.update(body.subarray(IV_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
      } catch {
        return undefined;
      }
    },
  };
}

async function readOrMakeKey(home: string): Promise<Buffer> {
  const file = path.join(home, FILE);
  await mkdir(home, { recursive: true });
  const existing = await readFile(file).catch(() => undefined);
  if (existing !== undefined && existing.length >= KEY_BYTES) return existing;
  // Written under another name and linked, so that two processes starting at once end up with the same key.
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  await writeFile(draft, randomBytes(KEY_BYTES), { mode: 0o600, flag: 'wx' });
  await chmod(draft, 0o600);
  await link(draft, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await rm(draft, { force: true });
  return readFile(file);
}

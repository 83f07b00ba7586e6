// The installation's secrets. Given by configuration, or generated at the first start and kept in MILLRACE_HOME, readable by this
// user only. One root secret; what each purpose uses is derived from it, so that none can be used in place of another.
import { hkdfSync, randomBytes } from 'node:crypto';
import { chmod, link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { MillraceError } from '../contract/errors/millrace-error.ts';

export interface Secrets {
  /** Signs session tokens. */
  readonly token: Uint8Array;
  /** Keys the hashes of accounts and addresses in login_attempts. */
  readonly attempts: Uint8Array;
  /** Seals stored answers of idempotent requests. */
  readonly answers: Uint8Array;
}

const FILE = 'secret';
const MIN_BYTES = 32;

export async function loadSecrets(options: { jwtSecret?: string | undefined; home: string }): Promise<Secrets> {
  const { jwtSecret } = options;
  if (jwtSecret === undefined) return deriveSecrets(await readOrMakeRoot(options.home));
  const root = Buffer.from(jwtSecret, 'utf8');
  if (root.length < MIN_BYTES) throw new MillraceError('secret_weak', { name: 'JWT_SECRET', bytes: root.length });
  // A configured JWT_SECRET signs tokens as it is, so that other programs that know it can check them.
  return { ...deriveSecrets(root), token: root };
}

export function deriveSecrets(root: Uint8Array): Secrets {
  const derive = (purpose: string) => new Uint8Array(hkdfSync('sha256', root, 'millrace', purpose, 32));
  return { token: derive('token'), attempts: derive('attempts'), answers: derive('answers') };
}

async function readOrMakeRoot(home: string): Promise<Buffer> {
  const file = path.join(home, FILE);
  await mkdir(home, { recursive: true });
  const existing = await readFile(file).catch(() => undefined);
  if (existing !== undefined && existing.length >= MIN_BYTES) return existing;
  // Written under another name and linked, so that two processes starting at once end up with the same secret.
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  await writeFile(draft, randomBytes(48), { mode: 0o600, flag: 'wx' });
  await chmod(draft, 0o600);
  await link(draft, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await rm(draft, { force: true });
  return readFile(file);
}

// A store that keeps versions and speaks S3: OpenStack Swift, as Debian packs it (python3-swift), on loopback with its data in a folder of its own.
// No S3 server on npm keeps versions. A machine without it leaves these tests out and says so.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { CreateBucketCommand, PutBucketVersioningCommand, S3Client } from '@aws-sdk/client-s3';

const python = process.env.SWIFT_PYTHON ?? '/usr/bin/python3';
const program = fileURLToPath(new URL('swift-store.py', import.meta.url));

export interface SwiftStore {
  readonly endpoint: string;
  readonly keys: { readonly accessKeyId: string; readonly secretAccessKey: string };
  readonly client: S3Client;
  /** A new bucket that keeps versions. */
  bucket(name: string): Promise<string>;
  close(): Promise<void>;
}

export function hasSwift(): boolean {
  if (spawnSync(python, ['-c', 'import swift']).status === 0) return true;
  console.warn(
    'Tests of a store that keeps versions are left out: there is no OpenStack Swift (apt-get install python3-swift).',
  );
  return false;
}

export async function startSwiftStore(): Promise<SwiftStore> {
  const folder = mkdtempSync(path.join(tmpdir(), 'millrace-swift-'));
  const child = spawn(python, [program, path.join(folder, 'store')], { stdio: ['pipe', 'pipe', 'ignore'] });
  const lines = createInterface({ input: child.stdout });
  const [port] = (await Promise.race([once(lines, 'line'), once(child, 'exit')])) as [string | number | null];
  if (typeof port !== 'string') throw new Error(`Swift did not start: it ended with ${port}`);
  const endpoint = `http://127.0.0.1:${port}`;
  const keys = { accessKeyId: 'test:tester', secretAccessKey: 'testing' };
  const client = new S3Client({
    endpoint,
    region: 'us-east-1',
    credentials: keys,
    forcePathStyle: true,
    // It is older than checksums at the end of a body.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  return {
    endpoint,
    keys,
    client,
    async bucket(name) {
      await client.send(new CreateBucketCommand({ Bucket: name }));
      const VersioningConfiguration = { Status: 'Enabled' } as const;
      await client.send(new PutBucketVersioningCommand({ Bucket: name, VersioningConfiguration }));
      return name;
    },
    async close() {
      client.destroy();
      const ended = once(child, 'exit');
      child.stdin.end();
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

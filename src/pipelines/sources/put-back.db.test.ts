// What vanished and is put back exactly as it was, with its old name, size and time, is served again.
import { mkdirSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { prose } from '../../../test/support/documents.ts';
import { startFtpServer } from '../../../test/support/ftp-server.ts';
import { startSftpServer } from '../../../test/support/sftp-server.ts';
import { useSources } from '../../../test/support/use-sources.ts';

const bench = useSources();
const text = (seed: number) => prose(seed).join('\n\n');

it.each(['folder', 'sftp', 'ftp'] as const)(
  'a file of a %s place that is moved away and back is deactivated and reactivated',
  async (kind) => {
    const root = path.join(bench.folder, `back-${kind}`);
    mkdirSync(root);
    const old = new Date(Date.now() - 3_600_000);
    for (let n = 0; n < 6; n += 1) {
      writeFileSync(path.join(root, `doc${n}.txt`), `${kind} ${n}. ${text(n)}`);
      utimesSync(path.join(root, `doc${n}.txt`), old, old);
    }
    const server =
      kind === 'folder' ? undefined : kind === 'sftp' ? await startSftpServer(root) : await startFtpServer(root);
    onTestFinished(async () => void (await server?.close()));
    const reach =
      server === undefined
        ? { place: { kind, directory: root } }
        : {
            place: { kind, host: '127.0.0.1', port: server.port, ...(kind === 'ftp' ? { tls: 'none' } : {}) },
            credential: server.credential,
          };
    const source = await bench.connect({ name: `Back ${kind}`, pipeline: 'documents', settle_seconds: 0, ...reach });
    expect(await bench.sync(source)).toMatchObject({ receipt: { read: 6, outcomes: { new: 6 } } });
    const served = async () => (await bench.served()).filter((uri) => uri.startsWith(`${kind}://`)).length;
    expect(await served()).toBe(6);
    for (const round of [1, 2]) {
      renameSync(path.join(root, 'doc3.txt'), path.join(bench.folder, `away-${kind}`));
      expect(await bench.sync(source), `round ${round}`).toMatchObject({ receipt: { read: 5, vanished: 1 } });
      expect(await served()).toBe(5);
      renameSync(path.join(bench.folder, `away-${kind}`), path.join(root, 'doc3.txt'));
      const back = await bench.sync(source);
      expect(back).toMatchObject({ status: 'synced', receipt: { read: 6, outcomes: { new: 1, unchanged: 5 } } });
      expect(await served()).toBe(6);
    }
  },
);

// Taken objects that are moved, where the answer to the move is lost or the worker dies behind it: what was moved has not vanished.
import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { prose } from '../../../test/support/documents.ts';
import { startFtpServer } from '../../../test/support/ftp-server.ts';
import { startSftpServer } from '../../../test/support/sftp-server.ts';
import { useSources } from '../../../test/support/use-sources.ts';

const bench = useSources();
const text = (seed: number) => prose(seed).join('\n\n');
const files = Array.from({ length: 6 }, (_, n) => `in/doc${n}.txt`);

/** A source that moves what it takes, with six objects. `forget` removes one from where it was moved to. */
const places = {
  async s3() {
    const { bucket, endpoint } = bench.bucket;
    const place = { kind: 's3', bucket, endpoint, move_to: 'away' };
    for (const [n, file] of files.entries()) await bench.put(`moved/${file}`, text(n));
    const source = await bench.connect(bench.wish('moved', { place, after_taken: 'move' }));
    return { source, keys: files.map((file) => `moved/${file}`), forget: (key: string) => bench.remove(`away/${key}`) };
  },
  folder: () => below('folder', async (directory) => ({ place: { kind: 'folder', directory } })),
  sftp: () =>
    below('sftp', async (root) => {
      const { port, credential, close } = await startSftpServer(root);
      onTestFinished(() => close());
      return { place: { kind: 'sftp', host: '127.0.0.1', port, directory: '.' }, credential };
    }),
  ftp: () =>
    below('ftp', async (root) => {
      const { port, credential, close } = await startFtpServer(root);
      onTestFinished(() => close());
      return { place: { kind: 'ftp', host: '127.0.0.1', port, tls: 'none' }, credential };
    }),
};

async function below(kind: string, reach: (root: string) => Promise<object>) {
  const root = path.join(bench.folder, `moved-${kind}`);
  const old = new Date(Date.now() - 3_600_000);
  mkdirSync(path.join(root, 'in'), { recursive: true });
  for (const [n, file] of files.entries()) {
    writeFileSync(path.join(root, file), `${kind} ${text(n)}`);
    utimesSync(path.join(root, file), old, old);
  }
  const wish = { name: `Moved ${kind}`, pipeline: 'documents', settle_seconds: 0, after_taken: 'move' };
  const source = await bench.connect({ ...wish, ...(await reach(root)) });
  return { source, keys: files, forget: async (key: string) => rmSync(path.join(root, 'taken', key)) };
}

async function fates(source: string): Promise<string[]> {
  const answer = await bench.api.call('sources.objects', { as: bench.admin, params: { source_id: source } });
  return answer.json().data.map(({ status }: { status: string }) => status);
}

describe.each(Object.entries(places))('an object of a %s place that was moved', (kind, open) => {
  it('and whose move was not written down is kept; one that is not where it was moved to either has vanished', async () => {
    const { source, keys, forget } = await open();
    expect(await bench.sync(source)).toMatchObject({ status: 'synced', receipt: { outcomes: { new: 6 } } });
    const served = async () => (await bench.served()).filter((uri) => uri.startsWith(`${kind}:`)).length;
    const before = await served();
    // As a worker leaves it that dies between the move and what it says of it.
    const unsaid = `update source_objects set status = 'live', deleted_at = null where source_id = $1`;
    await bench.db.admin.query(unsaid, [source]);
    expect(await bench.sync(source)).toMatchObject({ status: 'synced', receipt: { read: 0, vanished: 0 } });
    expect(await fates(source)).toEqual(keys.map(() => 'kept'));
    expect(await served()).toBe(before);
    await bench.db.admin.query(unsaid, [source]);
    await forget(keys[2] ?? '');
    // The only one that has vanished of those that lie there: somebody is asked.
    expect((await bench.sync(source)).held_at).not.toBeNull();
    expect(await fates(source)).toEqual(keys.map((_, n) => (n === 2 ? 'live' : 'kept')));
  });
});

it('an object whose move is done and not answered has not vanished', async () => {
  const { bucket, endpoint } = bench.bucket;
  const place = { kind: 's3', bucket, endpoint, move_to: 'elsewhere' };
  await bench.put('unanswered/doc.txt', text(10));
  const source = await bench.connect(bench.wish('unanswered', { place, after_taken: 'move' }));
  bench.bucket.fail({ method: 'DELETE', url: /unanswered/, times: 10, act: 'hang-up-after' });
  onTestFinished(() => bench.bucket.heal());
  for (const read of [1, 0]) {
    expect(await bench.sync(source)).toMatchObject({ status: 'synced', receipt: { read, vanished: 0 } });
    expect(await bench.served()).toContain(`s3://${bucket}/unanswered/doc.txt`);
  }
  expect(await fates(source)).toEqual(['kept']);
});

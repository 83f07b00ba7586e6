// Directories that may not be listed: a source goes on without them, says which objects it could not see, and takes nothing away meanwhile. What no pattern
// reaches is not asked for at all.
import { mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { prose } from '../../../test/support/documents.ts';
import { startFtpServer } from '../../../test/support/ftp-server.ts';
import { startSftpServer } from '../../../test/support/sftp-server.ts';
import { useSources } from '../../../test/support/use-sources.ts';
import { checkSources } from './cli/doctor-check.ts';

const bench = useSources();
const { api } = bench;
let seed = 0;

interface Server {
  readonly place: { readonly port: number; readonly kind: string };
  readonly credential: object;
  readonly shut: Set<string>;
}

const kinds: readonly (readonly [string, (root: string) => Promise<Server>])[] = [
  [
    'an SFTP server',
    async (root) => {
      const server = await startSftpServer(root);
      onTestFinished(() => server.close());
      const { port, credential, shut } = server;
      return { place: { kind: 'sftp', host: '127.0.0.1', port, directory: '.' }, credential, shut };
    },
  ],
  ...[false, true].map(
    (withoutMlsd) =>
      [
        withoutMlsd ? 'an FTP server without MLSD' : 'an FTP server',
        async (root: string) => {
          const server = await startFtpServer(root, { withoutMlsd });
          onTestFinished(() => server.close());
          const { port, credential, shut } = server;
          return { place: { kind: 'ftp', host: '127.0.0.1', port, tls: 'none' }, credential, shut };
        },
      ] as const,
  ),
];

function put(root: string, key: string): void {
  const file = path.join(root, key);
  mkdirSync(path.dirname(file), { recursive: true });
  seed += 1;
  // Each of another length: not every server tells seconds.
  writeFileSync(file, `${prose(seed).join('\n\n')}${'.'.repeat(seed)}`);
  const old = new Date(Date.now() - 3_600_000);
  utimesSync(file, old, old);
}

function rootOf(name: string, keys: readonly string[]): string {
  const root = path.join(bench.folder, name.replaceAll(' ', '-'));
  for (const key of keys) put(root, key);
  return root;
}

async function shown(sourceId: string) {
  const answer = await api.call('sources.show', { as: bench.admin, params: { source_id: sourceId } });
  return answer.json();
}

async function rowsOf(sourceId: string) {
  const answer = await api.call('sources.objects', { as: bench.admin, params: { source_id: sourceId } });
  const rows: { key: string; status: string; unseen_because: string | null }[] = answer.json().data;
  return rows.map(({ key, status, unseen_because: because }) => [key, status, because?.match(/"(.*)"/)?.[1] ?? null]);
}

async function linesOf(sourceId: string, syncId: string) {
  const params = { source_id: sourceId, sync_id: syncId };
  const answer = await api.call('sources.lines', { as: bench.admin, params });
  const lines: { key: string; fate: string; error_code: string | null }[] = answer.json().data;
  return lines.map(({ key, fate, error_code: code }) => [key, fate, code]);
}

describe.each(kinds)('a directory of %s that may not be listed', (name, start) => {
  it('is told with the objects that were not seen, the rest goes on, and nothing vanishes until it may be listed again', async () => {
    const keys = ['in/1.txt', 'in/2.txt', 'locked/3.txt', 'locked/deep/4.txt', 'z/5.txt', 'z/6.txt'];
    const root = rootOf(name, keys);
    const { place, credential, shut } = await start(root);
    const wish = { name, pipeline: 'documents', place, credential, settle_seconds: 0, cron: '0 3 * * 0' };
    const served = async (key: RegExp) =>
      (await bench.served()).filter((uri) => uri.includes(`:${place.port}/`) && key.test(uri));
    const source = await bench.connect(wish);
    expect(await bench.sync(source)).toMatchObject({ status: 'synced', receipt: { read: 6, outcomes: { new: 6 } } });
    const before = await shown(source);

    shut.add('locked');
    rmSync(path.join(root, 'z/6.txt'));
    put(root, 'z/7.txt');
    put(root, 'in/2.txt');
    const sync = await bench.sync(source);
    expect(sync).toMatchObject({
      status: 'partial',
      receipt: { read: 5, outcomes: { new: 1, changed: 1, unchanged: 2, refused: 1 }, unlisted: 1, vanished: 0 },
    });
    expect(await linesOf(source, sync.id)).toEqual([
      ['in/2.txt', 'changed', null],
      ['locked/', 'refused', 'source_directory_shut'],
      ['z/7.txt', 'new', null],
    ]);
    const seen = ['in/1.txt', 'in/2.txt', 'z/5.txt', 'z/6.txt', 'z/7.txt'].map((key) => [key, 'live', null]);
    const unseen = ['locked/3.txt', 'locked/deep/4.txt'].map((key) => [key, 'live', 'locked/']);
    expect(await rowsOf(source)).toEqual([...seen, ...unseen].sort());
    expect(await served(/locked|6\.txt/)).toHaveLength(3);
    expect(await shown(source)).toMatchObject({
      freshness: 'incomplete',
      listed_at: before.listed_at,
      last_error_code: 'source_directory_shut',
      objects: { live: 7, refused: 0, failed: 0 },
    });
    const client = await bench.db.engine.connect();
    const doctor = await checkSources(client).finally(() => client.release());
    expect(doctor.detail).toContain(`${name}: its last sync was not allowed to list a directory`);

    shut.clear();
    const whole = { read: 6, outcomes: { new: 0, changed: 0, unchanged: 6, refused: 0 }, vanished: 1 };
    expect(await bench.sync(source)).toMatchObject({ status: 'synced', receipt: whole });
    expect(await rowsOf(source)).toContainEqual(['z/6.txt', 'deleted', null]);
    expect(await served(/locked|6\.txt/)).toHaveLength(2);
    expect(await shown(source)).toMatchObject({ freshness: 'fresh', last_error_code: null });
  });

  it.each([
    ['an exclude pattern', { exclude: ['locked/**'] }],
    ['include patterns', { include: ['in/**', 'z/*.txt'] }],
  ])('is not asked for if %s leaves it out', async (how, patterns) => {
    const title = `${name} ${how}`;
    const root = rootOf(title, ['in/1.txt', 'locked/2.txt', 'z/3.txt']);
    const { place, credential, shut } = await start(root);
    shut.add('locked');
    const wish = { name: title, pipeline: 'documents', place, credential, settle_seconds: 0 };
    const preview = async (over: object) => {
      const { name: _, ...body } = { ...wish, ...over };
      return (await api.call('sources.preview', { as: bench.admin, body })).json().objects.map(becoming);
    };
    const taken = [
      ['in/1.txt', 'taken'],
      ['z/3.txt', 'taken'],
    ];
    expect(await preview({})).toEqual([taken[0], ['locked/', 'refused'], taken[1]]);
    expect(await preview(patterns)).toEqual(taken);
    const source = await bench.connect({ ...wish, ...patterns });
    for (const outcomes of [{ new: 2 }, { unchanged: 2 }]) {
      const { status, receipt } = await bench.sync(source);
      expect([status, receipt]).toMatchObject(['synced', { read: 2, outcomes, vanished: 0 }]);
      expect(receipt).not.toHaveProperty('unlisted');
    }
    expect(await shown(source)).toMatchObject({ freshness: 'fresh', last_error_code: null });
  });
});

it('what vanished and is in a directory that was shut before the question about it was answered is not deactivated', async () => {
  const root = rootOf('asked', ['a/1.txt', 'a/2.txt', 'b/3.txt']);
  const server = await startSftpServer(root);
  onTestFinished(() => server.close());
  const { port, credential } = server;
  const place = { kind: 'sftp', host: '127.0.0.1', port, directory: '.' };
  const source = await bench.connect({ name: 'asked', pipeline: 'documents', place, credential, settle_seconds: 0 });
  await bench.sync(source);
  renameSync(path.join(root, 'a'), path.join(bench.folder, 'away'));
  const held = await bench.sync(source);
  expect(held.held_at).not.toBeNull();
  renameSync(path.join(bench.folder, 'away'), path.join(root, 'a'));
  server.blind.add('a');
  const { data } = (await api.call('questions.list', { as: bench.admin })).json();
  const { question_id: questionId } = data.find((each: { run_id: string }) => each.run_id === held.id);
  const answer = { as: bench.admin, params: { question_id: questionId }, body: { choice: 'deactivate' } };
  expect((await api.call('questions.answer', answer)).statusCode).toBe(200);
  expect(await bench.ended(held.id)).toMatchObject({ status: 'synced', receipt: { vanished: 0 } });
  expect((await rowsOf(source)).map(([, status]) => status)).toEqual(['live', 'live', 'live']);
});

it('a bucket is listed only where include patterns begin alike: a credential may be good for that part alone', async () => {
  for (const key of ['allowed/in/1.txt', 'allowed/in/2.csv', 'allowed/other/3.txt', 'elsewhere/4.txt']) {
    seed += 1;
    await bench.put(key, prose(seed).join('\n\n'));
  }
  const denied = { status: 403, code: 'AccessDenied' };
  const url = /list-type=2(?!.*prefix=allowed%2Fin%2F)/;
  bench.bucket.fail({ method: 'GET', url, times: 1_000, act: denied });
  onTestFinished(() => bench.bucket.heal());
  const wish = bench.wish('allowed', { prefix: '' });
  const refused = await api.call('sources.create', { as: bench.admin, body: wish });
  expect(refused.json().code).toBe('source_denied');
  const source = await bench.connect({ ...wish, include: ['allowed/in/**/*.txt', 'allowed/in/*.md'] });
  expect(await bench.sync(source)).toMatchObject({ status: 'synced', receipt: { read: 1, outside: 1 } });
  expect(await bench.sync(source)).toMatchObject({ status: 'synced', receipt: { read: 1, vanished: 0 } });
});

function becoming({ key, becomes }: { readonly key: string; readonly becomes: string }): string[] {
  return [key, becomes];
}

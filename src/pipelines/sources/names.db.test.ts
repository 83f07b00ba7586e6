// Odd names on a real server of each protocol: line breaks, bytes that are no text, blanks, dots, slashes and great length. What a protocol cannot carry
// is said of the object; nothing else suffers for it.
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { prose } from '../../../test/support/documents.ts';
import { startFtpServer } from '../../../test/support/ftp-server.ts';
import { startSftpServer } from '../../../test/support/sftp-server.ts';
import { useSources } from '../../../test/support/use-sources.ts';

const bench = useSources();
const { api } = bench;
const text = (seed: number) => prose(seed).join('\n\n');
const old = new Date(Date.now() - 3_600_000);
let seed = 0;

/** A directory with files whose names are given as text or as bytes. */
function directoryOf(name: string, files: readonly (string | Buffer)[]): string {
  const directory = path.join(bench.folder, name);
  mkdirSync(directory);
  for (const file of files) {
    const full = Buffer.concat([Buffer.from(`${directory}/`), Buffer.from(file)]);
    seed += 1;
    writeFileSync(full, text(seed));
    utimesSync(full, old, old);
  }
  return directory;
}

async function fates(sourceId: string): Promise<Record<string, string>> {
  const answer = await api.call('sources.objects', { as: bench.admin, params: { source_id: sourceId } });
  const rows: { key: string; status: string; error_code: string | null }[] = answer.json().data;
  return Object.fromEntries(rows.map(({ key, status, error_code: code }) => [key, code ?? status]));
}

const noText = Buffer.from([0xff, 0xfe, 0x2e, 0x74, 0x78, 0x74]);

it('a bucket carries every sign: a name with a line break is taken in like any other', async () => {
  for (const name of ['two\nlines.txt', 'old\rmac.txt', 'plain.txt']) {
    seed += 1;
    await bench.put(`signs/${name}`, text(seed));
  }
  const source = await bench.connect(bench.wish('signs'));
  expect(await bench.sync(source)).toMatchObject({ status: 'synced', receipt: { read: 3, outcomes: { new: 3 } } });
  expect(await fates(source)).toEqual({
    'signs/old\rmac.txt': 'live',
    'signs/plain.txt': 'live',
    'signs/two\nlines.txt': 'live',
  });
  expect(await bench.served()).toContain(`s3://${bench.bucket.bucket}/signs/two\nlines.txt`);
  expect(await bench.sync(source)).toMatchObject({ receipt: { read: 3, outcomes: { unchanged: 3 }, vanished: 0 } });
});

it('an SFTP server carries line breaks; bytes that are no text are refused and told, again and again', async () => {
  const server = await startSftpServer(directoryOf('sftp-names', ['two\nlines.txt', 'plain.txt', noText]));
  onTestFinished(() => server.close());
  const place = { kind: 'sftp', host: '127.0.0.1', port: server.port, directory: '.' };
  const { credential } = server;
  const source = await bench.connect({ name: 'sftp-names', pipeline: 'documents', place, credential });
  for (const outcomes of [
    { new: 2, refused: 1 },
    { unchanged: 2, refused: 1 },
  ])
    expect(await bench.sync(source)).toMatchObject({ status: 'partial', receipt: { read: 3, outcomes, vanished: 0 } });
  expect(await fates(source)).toEqual({
    'plain.txt': 'live',
    'two\nlines.txt': 'live',
    '\uFFFD\uFFFD.txt': 'source_object_name_unusable',
  });
});

it.each([
  ['MLSD', {}],
  ['LIST', { withoutMlsd: true }],
])(
  'an FTP server cannot carry a line break in a listing (%s): that file is refused and told, the others are taken in',
  async (how, options) => {
    // Each sorts where its second half would be taken for the last line of the listing, or an entry of its own.
    const names = ['a\nb.txt', 'plain.txt', 'zwei\nZeilen.txt'];
    const server = await startFtpServer(directoryOf(`ftp-${how}`, names), options);
    onTestFinished(() => server.close());
    const place = { kind: 'ftp', host: '127.0.0.1', port: server.port, tls: 'none' };
    const wish = { name: how, pipeline: 'documents', place, credential: server.credential, settle_seconds: 0 };
    const source = await bench.connect(wish);
    for (const outcomes of [
      { new: 1, refused: 2 },
      { unchanged: 1, refused: 2 },
    ])
      expect(await bench.sync(source)).toMatchObject({
        status: 'partial',
        receipt: { read: 3, outcomes, vanished: 0 },
      });
    expect(await fates(source)).toEqual({
      'a\uFFFDb.txt': 'source_object_name_unusable',
      'plain.txt': 'live',
      'zwei\uFFFDZeilen.txt': 'source_object_name_unusable',
    });
  },
);

it.each([
  ['MLSD', {}],
  ['LIST', { withoutMlsd: true }],
])(
  'a name that an FTP server tells in Latin-1 (%s) is refused and told, the others are taken in',
  async (how, options) => {
    const server = await startFtpServer(directoryOf(`latin-${how}`, ['café.txt', 'plain.txt']), {
      ...options,
      isLatin1: true,
    });
    onTestFinished(() => server.close());
    const place = { kind: 'ftp', host: '127.0.0.1', port: server.port, tls: 'none' };
    const wish = {
      name: `latin ${how}`,
      pipeline: 'documents',
      place,
      credential: server.credential,
      settle_seconds: 0,
    };
    const source = await bench.connect(wish);
    expect(await bench.sync(source)).toMatchObject({
      status: 'partial',
      receipt: { outcomes: { new: 1, refused: 1 } },
    });
    expect(await fates(source)).toEqual({
      'caf\uFFFD.txt': 'source_object_name_unusable',
      'plain.txt': 'live',
    });
  },
);

const chain = (parts: number) => Array.from({ length: parts }, (_, index) => `${index}${'d'.repeat(199)}`).join('/');

it('keys of a bucket are data: dots, slashes, blanks and great length are taken in as they are, below the prefix only', async () => {
  const names = [
    '../up.txt',
    '/slash.txt',
    'a//b.txt',
    './here.txt',
    'blank .txt',
    ' first.txt',
    `${'l'.repeat(900)}.txt`,
  ];
  for (const name of names) {
    seed += 1;
    await bench.put(`odd/${name}`, text(seed));
  }
  await bench.put('/odd/root.txt', text(999));
  const source = await bench.connect(bench.wish('odd'));
  expect(await bench.sync(source)).toMatchObject({ status: 'synced', receipt: { read: 7, outcomes: { new: 7 } } });
  expect(Object.keys(await fates(source)).sort()).toEqual(names.map((name) => `odd/${name}`).sort());
  expect(await bench.sync(source)).toMatchObject({ receipt: { read: 7, outcomes: { unchanged: 7 }, vanished: 0 } });
});

const servers = {
  async SFTP(root: string) {
    const server = await startSftpServer(root);
    return { server, place: { kind: 'sftp', host: '127.0.0.1', port: server.port, directory: '.' } };
  },
  async FTP(root: string, isLatin1: boolean) {
    const server = await startFtpServer(root, { isLatin1 });
    return { server, place: { kind: 'ftp', host: '127.0.0.1', port: server.port, tls: 'none' } };
  },
};

describe.each(Object.entries(servers))('on an %s server', (kind, start) => {
  async function connected(root: string, over: object = {}, isLatin1 = false) {
    const { server, place } = await start(root, isLatin1);
    onTestFinished(() => server.close());
    const about = { name: `${kind} ${path.basename(root)}`, pipeline: 'documents', place, settle_seconds: 0 };
    return bench.connect({ ...about, credential: server.credential, ...over });
  }

  it('blanks at both ends, two dots inside and 255 bytes are taken in as they are', async () => {
    const names = [' first.txt', 'last.txt ', 'two..dots.txt', '..three.txt', `${'l'.repeat(251)}.txt`];
    const source = await connected(directoryOf(`${kind}-blanks`, names));
    // Names that begin with a dot are hidden files: those are left out, as documented.
    const expected = names.filter((name) => !name.startsWith('.'));
    const run = await bench.sync(source);
    expect(Object.keys(await fates(source)).sort(), JSON.stringify(run.receipt)).toEqual(expected.sort());
    expect(run.receipt).toMatchObject({ read: 4, outcomes: { new: 4 } });
    expect(await bench.sync(source)).toMatchObject({ receipt: { read: 4, outcomes: { unchanged: 4 }, vanished: 0 } });
  });

  it('names that look alike once they are shown, and a directory that cannot be asked for, have a line each', async () => {
    // The SFTP server tells bytes that are no text; the FTP server tells text in Latin-1.
    const named = (text: string) => Buffer.from(text, kind === 'SFTP' ? 'latin1' : 'utf8');
    const root = directoryOf(`${kind}-alike`, ['plain.txt', named('bad-é.a'), named('bad-è.a')]);
    const hidden = Buffer.concat([Buffer.from(`${root}/`), named('dir-é')]);
    mkdirSync(hidden);
    writeFileSync(Buffer.concat([hidden, Buffer.from('/in.txt')]), 'nobody can ask for it');
    const source = await connected(root, { include: ['*.txt', '*.a'] }, true);
    for (const outcomes of [
      { new: 1, refused: 3 },
      { unchanged: 1, refused: 3 },
    ])
      expect(await bench.sync(source)).toMatchObject({
        status: 'partial',
        receipt: { read: 4, outcomes, vanished: 0 },
      });
    const code = 'source_object_name_unusable';
    expect(await fates(source)).toEqual({
      'plain.txt': 'live',
      'bad-\uFFFD.a': code,
      'bad-\uFFFD (2).a': code,
      'dir-\uFFFD': code,
    });
  });

  it('a path that is longer than the database keeps is told, and the rest is taken in', async () => {
    const root = directoryOf(`${kind}-deep`, ['plain.txt']);
    mkdirSync(path.join(root, chain(8)), { recursive: true });
    writeFileSync(path.join(root, chain(8), 'fits.txt'), text(801));
    mkdirSync(path.join(root, chain(10)), { recursive: true });
    writeFileSync(path.join(root, chain(10), 'deep.txt'), text(802));
    const source = await connected(root);
    expect(await bench.sync(source)).toMatchObject({
      status: 'partial',
      receipt: { read: 3, outcomes: { new: 2, refused: 1 } },
    });
    const found = Object.entries(await fates(source));
    expect(found.filter(([, fate]) => fate === 'live').map(([key]) => path.basename(key))).toEqual([
      'fits.txt',
      'plain.txt',
    ]);
  });
});

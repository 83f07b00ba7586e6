// A bucket of fifty mixed files with the built product and its command line: documents and ads numbers come of it, and after changes, deletions and
// a return the receipts, the documents and the numbers say exactly that.
import { expect, it } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { millrace, startServer } from './millrace-process.ts';
import { useBucket } from './use-bucket.ts';

const secret = 'the-secret-key-of-the-bucket';
const bucket = useBucket('mixed', secret);
const { put, remove, credential } = bucket;
let url: string;
let token: string;

const note = (name: string, word: string) =>
  `# ${name}\n\nThe ${word} of ${name} is kept in the ${word} archive for ten years.\n`;
const endings = ['txt', 'md', 'html'] as const;
const documentKey = (n: number) => `docs/${String(n).padStart(2, '0')}.${endings[n % 3]}`;
const documentText = (n: number, word: string) =>
  n % 3 === 2
    ? `<html><body><h1>Note ${n}</h1><p>${note(`note ${n}`, word)}</p></body></html>`
    : note(`note ${n}`, word);
const adsKey = (n: number) => `ads/${String(n).padStart(2, '0')}.csv`;
const adsText = (n: number, spend: number) =>
  `Day,Campaign name,Campaign ID,Amount spent (USD),Impressions,Link clicks\n` +
  `2026-03-${String(n).padStart(2, '0')},Spring,120210000000000009,${spend}.00,1000,10\n` +
  `2026-04-${String(n).padStart(2, '0')},Spring,120210000000000009,${spend}.00,1000,10\n`;

async function cli<T>(...args: string[]): Promise<T> {
  const { stdout, stderr, code } = await millrace([...args, '--json'], bucket.env);
  if (code !== 0) throw new Error(`${args.join(' ')}: ${code} ${stderr} ${stdout}`);
  expect(stdout + stderr).not.toContain(secret);
  return JSON.parse(stdout) as T;
}

const wish = (name: string, over: object) =>
  bucket.file(name, { name, place: bucket.place(), credential, prefix: `${name}/`, ...over });

interface Source {
  readonly source_id: string;
  readonly objects: Record<string, number>;
  readonly syncs: readonly { sync_id: string; status: string; counts: Record<string, number> | null }[];
}

/** Syncs it and waits for its end and for the ends of what it brought; gives the counts of the receipt. */
async function sync(sourceId: string): Promise<Record<string, number>> {
  const { run_id: id } = await cli<{ run_id: string }>('sources', 'sync', sourceId);
  await waitFor(
    async () => {
      const [row] = await bucket.database.query<{ left: number }>(
        `select count(*)::int as left from engine.runs where source_id = $1 and finished_at is null`,
        [sourceId],
      );
      return row?.left === 0;
    },
    { what: `the runs of source ${sourceId} to end`, everyMs: 200 },
  );
  const shown = await cli<Source>('sources', 'show', sourceId);
  return shown.syncs.find(({ sync_id: each }) => each === id)?.counts ?? {};
}

const counts = (over: Record<string, number>) => ({
  ...{ seen: 0, new: 0, changed: 0, unchanged: 0, refused: 0, vanished: 0, settling: 0, outside: 0, unlisted: 0 },
  ...over,
});

/** Which documents the search finds by a word; their titles are their keys. */
async function searched(word: string): Promise<string[]> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const body = JSON.stringify({ query: word, mode: 'lexical', limit: 50 });
  const answer = await fetch(`${url}/v1/search`, { method: 'POST', headers, body });
  const { hits, ...rest } = (await answer.json()) as { hits?: { title: string; text: string }[] };
  if (hits === undefined) throw new Error(JSON.stringify(rest));
  return [...new Set(hits.filter(({ text }) => text.includes(word)).map(({ title }) => title))].sort();
}

/** What the documents answer, and from which of them. */
async function asked(question: string): Promise<{ status: string; from: string[] }> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const answer = await fetch(`${url}/v1/query`, { method: 'POST', headers, body: JSON.stringify({ question }) });
  const { status, citations } = (await answer.json()) as { status: string; citations: { title: string }[] };
  return { status, from: [...new Set(citations.map(({ title }) => title))] };
}

async function signIn(lines: readonly string[]): Promise<string> {
  const [, email = '', password = ''] = /^sign in +(\S+) with the password (\S+)/m.exec(lines.join('\n')) ?? [];
  const headers = { 'content-type': 'application/json' };
  const login = await fetch(`${url}/v1/auth/login`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ email, password }),
  });
  return ((await login.json()) as { token: string }).token;
}

async function spend(): Promise<number> {
  const [row] = await bucket.database.query<{ spend: number }>(`select sum(spend)::float8 as spend from daily_metrics`);
  return row?.spend ?? 0;
}

it('fifty files become documents and ads numbers; three changed, two deleted and one put back are told exactly', async () => {
  const numbers = Array.from({ length: 25 }, (_, index) => index + 1);
  for (const n of numbers) {
    await put(documentKey(n), documentText(n, 'walnut'));
    await put(adsKey(n), adsText(n, 10));
  }
  const harbour = 'When does the harbour of Quillmoor open?';
  await put(documentKey(6), `${documentText(6, 'walnut')}\nThe harbour of Quillmoor opens at six in the morning.\n`);
  const server = await startServer(bucket.env);
  url = server.url;
  token = await signIn(server.lines);
  const tested = await millrace(
    ['sources', 'test', '--file', wish('docs', { pipeline: 'documents', title_pattern: '{path}' })],
    bucket.env,
  );
  expect(tested.stdout, tested.stderr).toMatch(/taken +docs\/01\.md +as "docs\/01\.md"/);
  expect(tested.stderr).toBe('');
  expect(tested.stdout).toContain('… and more.');
  const documents = await cli<Source>(
    'sources',
    'add',
    '--file',
    wish('docs', { pipeline: 'documents', title_pattern: '{path}' }),
  );
  const ads = await cli<Source>(
    'sources',
    'add',
    '--file',
    wish('ads', { pipeline: 'ads', fields: { platform: 'meta' } }),
  );

  expect(await sync(documents.source_id)).toEqual(counts({ seen: 25, new: 25 }));
  expect(await sync(ads.source_id)).toEqual(counts({ seen: 25, new: 25 }));
  expect(await searched('walnut')).toEqual(numbers.map(documentKey).sort());
  expect(await spend()).toBe(25 * 2 * 10);
  expect(await asked(harbour)).toEqual({ status: 'answered', from: [documentKey(6)] });

  // Three are changed, two deleted.
  await put(documentKey(3), documentText(3, 'cedar'));
  await put(documentKey(4), documentText(4, 'cedar'));
  await put(adsKey(7), adsText(7, 25));
  await remove(documentKey(5));
  await remove(documentKey(6));
  expect(await sync(documents.source_id)).toEqual(counts({ seen: 23, changed: 2, unchanged: 21, vanished: 2 }));
  expect(await sync(ads.source_id)).toEqual(counts({ seen: 25, changed: 1, unchanged: 24 }));
  expect(await searched('cedar')).toEqual([documentKey(3), documentKey(4)].sort());
  expect(await searched('walnut')).toEqual(
    numbers
      .filter((n) => ![3, 4, 5, 6].includes(n))
      .map(documentKey)
      .sort(),
  );
  expect(await spend()).toBe(24 * 2 * 10 + 2 * 25);
  // What only a deleted object said is not answered any more.
  expect(await asked(harbour)).toEqual({ status: 'abstained', from: [] });

  // One is put back: the old version is served again, and nothing was read again.
  const versions = () => bucket.database.query<{ n: number }>('select count(*)::int as n from document_versions');
  const before = await versions();
  await put(documentKey(5), documentText(5, 'walnut'));
  expect(await sync(documents.source_id)).toEqual(counts({ seen: 24, new: 1, unchanged: 23 }));
  expect(await searched('walnut')).toEqual(
    numbers
      .filter((n) => ![3, 4, 6].includes(n))
      .map(documentKey)
      .sort(),
  );
  expect(await versions()).toEqual(before);

  const objects = await cli<{ key: string; status: string; run_id: string | null }[]>(
    ...['sources', 'objects', documents.source_id, '--status', 'deleted'],
  );
  expect(objects.map(({ key, status }) => [key, status])).toEqual([[documentKey(6), 'deleted']]);
  const shown = await cli<Source>('sources', 'show', documents.source_id);
  expect(shown.objects).toMatchObject({ live: 24, deleted: 1, refused: 0, failed: 0 });
  const listed = await millrace(['sources', 'list'], bucket.env);
  expect(listed.stdout).toMatch(/docs +s3:\/\/mixed\/docs\/ +documents +fresh +24/);
  // A list that is not the whole one says so, and how to go on.
  const some = await millrace(['sources', 'objects', 'docs', '--limit', '20'], bucket.env);
  const [, after = ''] = /… and more: --after (\S+)\n$/.exec(some.stdout) ?? [];
  const rest = await millrace(['sources', 'objects', 'docs', '--after', after], bucket.env);
  expect(
    [some.stdout, rest.stdout].map((text) => text.match(/^docs\//gm)?.length),
    some.stdout,
  ).toEqual([20, 5]);
  expect(rest.stdout).not.toContain('and more');
  for (const { sync_id: id } of shown.syncs)
    expect((await millrace(['verify', id], bucket.env)).code, 'the receipt is recounted').toBe(0);

  // By name, followed to its end; a wrong key is said in words, and the right one is given without adding the source again.
  const watched = await millrace(['sources', 'sync', 'DOCS', '--watch'], bucket.env);
  expect([watched.code, watched.stdout], watched.stderr).toEqual([0, expect.stringMatching(/24 = 24 unchanged\n$/)]);
  bucket.server.fail({ method: 'GET', url: /list-type/, times: 1, act: { status: 403, code: 'InvalidAccessKeyId' } });
  const failed = await millrace(['sources', 'sync', 'docs', '--watch'], bucket.env);
  expect([failed.code, failed.stdout], failed.stderr).toEqual([1, expect.stringContaining('refused the credential')]);
  expect((await millrace(['sources', 'show', 'docs'], bucket.env)).stdout).toMatch(/last failure +The place refused/);
  const patch = bucket.file('patch', { credential, cron: '0 5 * * *' });
  const changed = await cli<{ cron: string; credential: string }>('sources', 'change', 'docs', '--file', patch);
  expect(changed).toMatchObject({ cron: '0 5 * * *', credential: 'keys' });
  expect((await millrace(['sources', 'sync', 'docs', '--watch'], bucket.env)).code).toBe(0);
  const unknown = await millrace(['sources', 'show', 'nobody'], bucket.env);
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('source_not_found')]);
  const { stderr } = await server.end();
  expect(stderr).not.toContain(secret);
});

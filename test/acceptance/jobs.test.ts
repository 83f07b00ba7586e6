// Every command of `millrace jobs` with the built product: a file becomes rows with a fate each, which are looked at, processed again, exported and deleted.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { readXlsx } from 'hucre/xlsx';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { createDatabase, type InstallationDatabase } from './installation-database.ts';
import { cleanUp, type Environment, makeHome, millrace, root, startServer } from './millrace-process.ts';
import { remoteAdmin } from './sign-in.ts';

const folder = makeHome();
const gate = path.join(folder, 'open');
const inFolder = (name: string) => path.join(folder, name);
let database: InstallationDatabase;
let env: Environment;
/** Commands speak with the started server. */
let remote: Environment;

/** Rows named "later" wait an hour until the gate is open, "none" is never found, "leak" takes all memory there is. */
const processor = (zod: string) => `
import { existsSync } from 'node:fs';
import { defineProcessor, found, notFound } from ${JSON.stringify(pathToFileURL(path.join(root, 'dist/index.js')).href)};
import { z } from ${JSON.stringify(zod)};
const hoard = [];
export default defineProcessor({
  name: 'gate', version: 1, title: 'Gate', options: z.object({}), output: z.object({ said: z.string() }),
  columns: [{ name: 'said', title: 'Said', type: 'text' }], strategies: ['only'],
  async process({ cells }) {
    if (cells.word === 'later' && !existsSync(${JSON.stringify(gate)})) return notFound();
    if (cells.word === 'none') return notFound({ isFinal: true });
    while (cells.word === 'leak') { hoard.push(Buffer.alloc(5_000_000, 1)); await new Promise((go) => setImmediate(go)); }
    return found({ said: 'heard ' + cells.word });
  },
});
`;

beforeAll(async () => {
  const module = inFolder('gate.mjs');
  const zod = pathToFileURL(createRequire(import.meta.url).resolve('zod')).href;
  writeFileSync(module, processor(zod));
  database = await createDatabase();
  env = {
    ...database.env,
    MILLRACE_HOME: makeHome(),
    SHUTDOWN_GRACE_SECONDS: '3',
    POLL_INTERVAL_MS: '100',
    ITEM_PROCESSOR_MODULES: module,
    ITEM_PROCESSOR_MEMORY_MB: '200',
    MAX_ATTEMPTS_ERROR: '2',
  };
});
afterAll(async () => {
  await cleanUp();
  await database.drop();
});

interface Job {
  readonly jobId: string;
  readonly queue_state: string;
  readonly error_items: number;
  readonly done_items: number;
}

interface Item {
  readonly id: string;
  readonly row_index: number;
  readonly status: string;
  readonly error_code: string | null;
  readonly input: Record<string, string>;
  readonly result: Record<string, string> | null;
}

async function jobs(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await millrace(['jobs', ...args], remote);
  expect([args.join(' '), code, stderr]).toEqual([args.join(' '), 0, '']);
  return stdout;
}

const json = async <T>(...args: string[]): Promise<T> => JSON.parse(await jobs(...args, '--json')) as T;

function csv(name: string, words: readonly string[]): string {
  const file = inFolder(name);
  writeFileSync(file, ['word,note', ...words.map((word, index) => `${word},=${index}+1`)].join('\n'));
  return file;
}

/** Asked of the server: a command for each look would cost more than the job. */
const until = (id: string, what: string, isSo: (job: Job) => boolean) =>
  waitFor(
    async () => {
      const headers = { authorization: `Bearer ${remote.MILLRACE_TOKEN}` };
      const job = (await (await fetch(`${remote.MILLRACE_URL}/api/jobs/${id}`, { headers })).json()) as Job;
      return isSo(job) ? job : undefined;
    },
    { what: `job ${id} ${what}`, everyMs: 50 },
  );
const inState = (id: string, state: string) => until(id, `to be ${state}`, (job) => job.queue_state === state);

it('start, list, show, items, pause, kickoff, resume, reprocess, export and delete do what they say', async () => {
  const server = await startServer(env);
  remote = await remoteAdmin(server.url, env);
  const file = csv('words.csv', ['one', 'none', 'later', 'two']);
  const { jobId } = await json<{ jobId: string }>('start', file, '--processor', 'gate');
  await until(jobId, 'to have two rows done', (job) => job.done_items === 2);

  expect(await jobs('list')).toMatch(new RegExp(`${jobId} +words\\.csv +gate +\\w+ +4 +2 +1 +0`));
  expect(await jobs('list', '--limit', '1')).toContain(jobId);
  expect(await jobs('show', jobId)).toMatch(/items +4 = 2 DONE \+ 1 NOT_FOUND \+ 0 ERROR \+ 0 SKIPPED \+ 1 pending/);
  const words = async (...args: string[]) =>
    (await json<Item[]>('items', jobId, ...args)).map(({ input }) => input.word);
  expect(await words()).toEqual(['one', 'none', 'later', 'two']);
  // A program gets the rows alone; beside them it is told that there are more.
  const first = await millrace(['jobs', 'items', jobId, '--limit', '2', '--json'], remote);
  expect((JSON.parse(first.stdout) as Item[]).map(({ input }) => input.word)).toEqual(['one', 'none']);
  const { next } = JSON.parse(first.stderr) as { next: string };
  expect(await words('--after', next)).toEqual(['later', 'two']);
  expect(await words('--status', 'DONE,NOT_FOUND')).toEqual(['one', 'none', 'two']);
  expect(await words('--text', 'two')).toEqual(['two']);
  expect(await jobs('items', jobId, '--status', 'ERROR')).toBe('No item matches.\n');

  expect(await jobs('pause', jobId)).toBe(`Job ${jobId} is PAUSED.\n`);
  const refused = await millrace(['jobs', 'kickoff', jobId], remote);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('job_paused')]);
  await jobs('resume', jobId);
  expect(await jobs('kickoff', jobId, '--duration', '200')).toMatch(
    /^0 items were processed, 1 remain; the job is \w+\.\n$/,
  );

  // The gate opens: the row that waits for its hour is named, and with it the one that was not found.
  writeFileSync(gate, '');
  const later = (await json<Item[]>('items', jobId, '--text', 'later'))[0]?.id ?? '';
  expect(await json('reprocess', jobId, '--items', later)).toMatchObject({ reset: 1, skipped: 0 });
  await inState(jobId, 'DONE');
  expect(await json('reprocess', jobId, '--status', 'NOT_FOUND')).toMatchObject({ reset: 1 });
  await inState(jobId, 'DONE');

  const shown = await json<Item[]>('items', jobId);
  const cells = shown.map(({ input, status, result }) => [input.word, input.note, status, result?.said ?? '']);
  expect(cells.map(([word, , status, said]) => [word, status, said])).toEqual([
    ['one', 'DONE', 'heard one'],
    ['none', 'NOT_FOUND', ''],
    ['later', 'DONE', 'heard later'],
    ['two', 'DONE', 'heard two'],
  ]);
  const table = inFolder('out.csv');
  expect(await jobs('export', jobId, '--format', 'csv', '--output', table)).toMatch(/^4 rows as of /);
  const [header = '', ...lines] = readFileSync(table, 'utf8')
    .replace(/^\uFEFF/, '')
    .trimEnd()
    .split(/\r?\n/);
  const at = (name: string) => header.split(',').indexOf(name);
  const shownLines = lines.map((line) => line.split(','));
  const columns = [at('word'), at('note'), at('Status') < 0 ? at('status') : at('Status'), at('Said')];
  expect(
    columns.every((column) => column >= 0),
    header,
  ).toBe(true);
  // Formulas of the file are text in the export.
  expect(shownLines.map((line) => columns.map((column) => line[column]?.replace(/^"?'?|"?$/g, '')))).toEqual(cells);
  const book = inFolder('out.xlsx');
  await jobs('export', jobId, '--output', book);
  const { sheets } = await readXlsx(readFileSync(book));
  const rows = sheets[0]?.rows ?? [];
  const xlsxHeader = (rows[0] ?? []).map(String);
  const wanted = ['word', 'Said'].map((name) => xlsxHeader.indexOf(name));
  expect(rows.slice(1).map((row) => wanted.map((column) => String(row[column] ?? '')))).toEqual(
    cells.map(([word, , , said]) => [word, said]),
  );

  // A processor that leaks: its row says so, the others of the job are done, and the server that did it is the same one.
  const leaking = await millrace(
    ['jobs', 'start', csv('leak.csv', ['three', 'leak']), '--processor', 'gate', '--watch', '--json'],
    remote,
  );
  const ended = JSON.parse(leaking.stdout) as Job;
  expect(ended).toMatchObject({ queue_state: 'DONE', done_items: 1, error_items: 1 });
  const [bad] = await json<Item[]>('items', ended.jobId, '--status', 'ERROR');
  expect(bad).toMatchObject({ error_code: 'processor_out_of_memory', input: { word: 'leak' } });

  expect(await jobs('delete', jobId)).toBe(`Job ${jobId} is deleted.\n`);
  for (const command of ['show', 'items', 'pause', 'resume', 'kickoff', 'reprocess', 'export', 'delete']) {
    const { code, stderr } = await millrace(['jobs', command, jobId], remote);
    expect([command, code, stderr]).toEqual([command, 1, expect.stringContaining('job_not_found')]);
  }
  const missing = await millrace(['jobs', 'start', inFolder('nowhere.csv')], remote);
  expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('nowhere.csv')]);
  const unknown = await millrace(['jobs', 'start', file, '--processor', 'nobody'], remote);
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('processor_unknown')]);
  await server.end();
});

// A worker that dies between a provider's answer and its commit: whoever asks again is known to the provider by the key of the try.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildTenant } from '../../../test/support/api.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { buildEngine } from '../../../test/support/engine.ts';
import { itemsDeps } from '../../../test/support/items-deps.ts';
import { compiledProgram } from '../../../test/support/programs.ts';
import { gate } from '../../../test/support/shared-run.ts';
import { csvRows, submitItems } from '../../../test/support/submit-items.ts';
import { waitFor } from '../../../test/support/wait-for.ts';
import { connectClient, withTenant } from '../../platform/database.ts';
import { createSecretBox } from '../../platform/secret-box.ts';
import { itemsPipeline } from './items.pipeline.ts';
import { idempotencyKey } from './process/idempotency-key.ts';
import { httpProcessor } from './processors/http.ts';
import { ensureRun, resetItems } from './reprocess.ts';
import { correctItem } from './sql/change-items.ts';
import { claimDue, giveBack } from './sql/claim-items.ts';
import { selectJob } from './sql/jobs.ts';

const db = useDatabase();
const folder = mkdtempSync(path.join(tmpdir(), 'millrace-tries-'));
const settings = { leaseMs: 1_500, heartbeatMs: 400, pollMs: 50 };
const asking = httpProcessor({ box: createSecretBox(Buffer.alloc(32, 7)), allowPrivate: true });
const deps = itemsDeps(folder, { processors: [asking] });
let tenantId: string;
let engine: Awaited<ReturnType<typeof buildEngine>>;

interface Row {
  readonly n: string;
  readonly key: string;
}
interface Request {
  readonly url: string;
  readonly key: string;
  readonly body: string;
}
const seen: Request[] = [];
let answering = Promise.resolve();
const status = 200;
const provider = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  seen.push({ url: request.url ?? '', key: String(request.headers['idempotency-key']), body });
  await answering;
  const answer = body === '' ? { word: 'w' } : { answers: JSON.parse(body).items.map(() => ({ word: 'w' })) };
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
});
let origin = '';
beforeAll(async () => {
  provider.listen(0, '127.0.0.1');
  await once(provider, 'listening');
  origin = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  tenantId = await buildTenant(db);
  engine = await buildEngine(db.appUrl, [itemsPipeline(deps)], { settings });
});
afterAll(async () => {
  provider.close();
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
});

function startWorker() {
  const orders = { url: db.appUrl, folder, settings, items: { lockFloorMs: 500, lockCapMs: 1_000 } };
  return spawn(process.execPath, [compiledProgram('test/support/items-worker.ts'), JSON.stringify(orders)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

async function kill(worker: ReturnType<typeof startWorker>): Promise<void> {
  const gone = once(worker, 'exit');
  worker.kill('SIGKILL');
  await gone;
}

async function submit(rows: number, options: Record<string, unknown>): Promise<string> {
  seen.length = 0;
  const columns = [{ name: 'word', path: 'word' }];
  return submitItems(engine, deps, {
    tenantId,
    processor: 'http',
    options: { columns, ...options },
    body: csvRows(rows),
  });
}

/** Kills the worker that has the provider's answers and cannot commit them; undone is what it was about to store. */
async function loseAnswers(jobId: string, requests: number): Promise<void> {
  const { opened, open } = gate();
  answering = opened;
  const worker = startWorker();
  await waitFor(() => seen.length === requests, { what: 'the requests' });
  const holder = await connectClient({ url: db.adminUrl, applicationName: 'holder', connectTimeoutMs: 60_000 });
  await holder.query('begin');
  await holder.query('select from item_jobs where job_id = $1 for update', [jobId]);
  open();
  // Of a statement the server tells the first thousand characters.
  const committing = `
    select pid from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query ~ 'with clock as materialized|set done_items'`;
  const pid = await waitFor(async () => (await db.admin.query<{ pid: number }>(committing)).rows[0]?.pid, {
    what: 'the worker to store the answers',
  });
  await kill(worker);
  await db.admin.query('select pg_terminate_backend($1, 10000)', [pid]);
  await holder.query('rollback');
  await holder.end();
}

const inTenant = <T>(work: Parameters<typeof withTenant<T>>[2], role = 'millrace_app') =>
  withTenant(db.app, { tenantId, role }, work);

const done = (jobId: string, rows: number) =>
  waitFor(
    async () => {
      const { rows: found } = await db.admin.query<{ n: number; ended: boolean }>(
        `select j.done_items as n, r.finished_at is not null as ended
         from item_jobs j join engine.runs r on r.id = j.latest_run_id where j.job_id = $1`,
        [jobId],
      );
      return found[0]?.ended === true && found[0].n === rows ? true : undefined;
    },
    { what: `${rows} rows to be done` },
  );

it('a row that is asked about again because its worker died before the answer was stored has the same key, and another one once an answer is stored', async () => {
  const jobId = await submit(2, { url: `${origin}/{{n}}` });
  await loseAnswers(jobId, 2);
  const lost = [...seen];
  expect(new Set(lost.map(({ key }) => key)).size).toBe(2);
  seen.length = 0;
  const worker = startWorker();
  await done(jobId, 2);
  // Once more, or more often where a machine is so slow that the second worker was taken for lost, too.
  const keys = (of: readonly Request[]) => new Set(of.map(({ url, key }) => `${url} ${key}`));
  expect(keys(seen)).toEqual(keys(lost));
  // Started again by a person: another try.
  seen.length = 0;
  await resetItems(inTenant, jobId, { itemIds: null, statuses: ['DONE'] });
  const job = await inTenant((tx) => selectJob(tx, tenantId, jobId));
  if (job === undefined) throw new Error('no job');
  await ensureRun(engine, job);
  await done(jobId, 2);
  expect(keys(seen).size).toBe(2);
  for (const { key } of seen) expect(lost.map((each) => each.key)).not.toContain(key);
  await kill(worker);
});

it('a row that is given back while it is asked about keeps its key, a corrected one does not', async () => {
  const jobId = await submit(1, { url: `${origin}/{{n}}` });
  const worker = startWorker();
  await done(jobId, 1);
  await kill(worker);
  await resetItems(inTenant, jobId, { itemIds: null, statuses: ['DONE'] });
  const claim = { jobId, worker: 'me', lockMs: 60_000, limit: 10 };
  const claimed = async () => {
    const [item] = await inTenant((tx) => claimDue(tx, claim), 'items_worker');
    if (item === undefined) throw new Error('no item');
    return { id: item.id, key: idempotencyKey(jobId, item) };
  };
  const first = await claimed();
  await inTenant((tx) => giveBack(tx, jobId, 'me', [first.id]), 'items_worker');
  const second = await claimed();
  expect(second.key).toBe(first.key);
  await inTenant((tx) => giveBack(tx, jobId, 'me', [first.id]), 'items_worker');
  await inTenant((tx) => correctItem(tx, jobId, first.id, { n: '7' }));
  expect((await claimed()).key).not.toBe(first.key);
});

it('a request about several rows is never taken for one about others, and each row in it has the key of its try', async () => {
  const batch = { size: 10, answers_path: 'answers' };
  const body = { n: '{{n}}', key: '{{idempotency_key}}' };
  const jobId = await submit(3, { url: `${origin}/batch`, method: 'POST', body, batch });
  await loseAnswers(jobId, 1);
  const worker = startWorker();
  await done(jobId, 3);
  await kill(worker);
  const requests = seen.map(({ key, body: text }) => ({ key, text, rows: JSON.parse(text).items as Row[] }));
  for (const n of ['0', '1', '2']) {
    const keys = requests.flatMap(({ rows }) => rows.filter((row) => row.n === n).map((row) => row.key));
    expect([n, keys.length >= 2, new Set(keys).size]).toEqual([n, true, 1]);
  }
  // The same rows in the same order are the same request; others, or in another order, another, and none is that of a row.
  expect(new Set(requests.map(({ key }) => key)).size).toBe(new Set(requests.map(({ text }) => text)).size);
  const [first] = requests;
  expect(first?.rows).toHaveLength(3);
  expect(first?.rows.map(({ key }) => key)).not.toContain(first?.key);
});

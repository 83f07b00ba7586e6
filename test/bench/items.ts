// npm run bench -- items: rows persisted beside psql \copy of the same rows; items per second with a processor that does nothing, one and two workers, beside pg-boss (and
// BullMQ, where a redis-server is on the PATH) holding a job per item; the first page of a grid of 5,000,000 items; an export beside the bare library; and how long it
// takes after a provider's storm of 429 until items flow as before. Workers are processes of their own, compiled.
import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { createTenant } from '../../src/access/operator.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { kitRoles } from '../../src/pipelines/all.ts';
import { viewItem } from '../../src/pipelines/items/http/item-view.ts';
import { itemsPipeline } from '../../src/pipelines/items/items.pipeline.ts';
import { listItemsInOrder, listItemsOfStatuses } from '../../src/pipelines/items/sql/read-items.ts';
import { connectClient, createPool, type Pool, withTenant } from '../../src/platform/database.ts';
import { uuidv7 } from '../../src/platform/ids.ts';
import { silentLog } from '../../src/platform/log.ts';
import { migrate } from '../../src/platform/migrate.ts';
import { openDatabase } from '../../src/platform/open-database.ts';
import { throughIndexes } from '../../src/platform/planner-settings.ts';
import { buildEngine } from '../support/engine.ts';
import { itemsDeps } from '../support/items-deps.ts';
import { noop, stormy } from '../support/items-provider.ts';
import { compilePrograms, programFile } from '../support/programs.ts';
import { csvRows, submitItems } from '../support/submit-items.ts';
import { makeTempHome, removeTempHome } from '../support/temp-home.ts';
import { openArena } from './queue/arena.ts';
import { type CurrentPeers, findCurrentPeers } from './queue/current-peers.ts';
import { measureDrain } from './queue/measures.ts';
import {
  type BenchOptions,
  type BenchResult,
  describeMachine,
  type Figure,
  median,
  percentile,
  rate,
  round,
} from './report.ts';

interface Dose {
  readonly rounds: number;
  readonly persist: number;
  readonly drain: number;
  readonly grid: number;
  readonly looks: number;
  readonly exported: number;
  readonly stormMs: number;
}
const full: Dose = {
  rounds: 3,
  persist: 200_000,
  drain: 50_000,
  grid: 5_000_000,
  looks: 300,
  exported: 200_000,
  stormMs: 5_000,
};
const quickDose: Dose = {
  rounds: 1,
  persist: 40_000,
  drain: 10_000,
  grid: 200_000,
  looks: 100,
  exported: 40_000,
  stormMs: 2_000,
};

const PERSIST_COLUMNS = 5;
const EXPORT_COLUMNS = 16;
const settings = { leaseMs: 60_000, heartbeatMs: 5_000, pollMs: 20 };

interface Bench {
  readonly admin: pg.Client;
  readonly adminUrl: string;
  readonly url: string;
  readonly folder: string;
  readonly engine: Engine;
  readonly deps: ReturnType<typeof itemsDeps>;
  readonly pool: Pool;
  readonly tenantId: string;
  readonly say: (line: string) => void;
}

export async function benchItems({ quick, say, only }: BenchOptions): Promise<BenchResult> {
  const dose = quick ? quickDose : full;
  compilePrograms();
  const current = findCurrentPeers(!quick, say);
  const home = makeTempHome('bench-items');
  const server = await openDatabase({ home }, silentLog);
  const folder = path.join(home, 'blobs');
  mkdirSync(folder, { recursive: true });
  const figures: Figure[] = [];
  try {
    await migrate({ url: server.adminUrl, appLogin: server.appLogin, log: silentLog, roles: kitRoles });
    const admin = await connectClient({ url: server.adminUrl, applicationName: 'bench', connectTimeoutMs: 10_000 });
    const pool = createPool({
      url: server.appUrl,
      max: 4,
      applicationName: 'bench',
      connectTimeoutMs: 10_000,
      sessionSettings: throughIndexes,
    });
    const deps = itemsDeps(folder, { processors: [noop, stormy(() => false)] });
    const engine = await buildEngine(server.appUrl, [itemsPipeline(deps)], { settings });
    const { tenant_id: tenantId } = await createTenant(pool, { name: 'Bench' });
    const bench = { admin, adminUrl: server.adminUrl, url: server.appUrl, folder, engine, deps, pool, tenantId, say };
    const parts: Record<string, () => Promise<Figure[]>> = {
      persist: () => measurePersist(bench, dose),
      rates: () => measureItems(bench, dose, current),
      storm: async () => [await measureStorm(bench, dose)],
      export: () => measureExport(bench, dose),
      grid: () => measureGrid(bench, dose),
    };
    for (const [name, measure] of Object.entries(parts))
      if (only === undefined || only.includes(name)) figures.push(...(await measure()));
    await engine.close();
    await pool.end();
    await admin.end();
  } finally {
    await server.stop();
    await removeTempHome(home);
  }
  const machine = describeMachine(['pg', 'pg-boss', 'hucre']);
  return { machine: { ...machine, versions: { ...machine.versions, ...current?.versions }, ...dose }, figures };
}

function startWorker({ url, folder }: Bench, more: Record<string, unknown> = {}): Promise<ChildProcess> {
  const orders = { url, folder, settings, ...more };
  const child = fork(programFile('test/support/items-worker.ts'), [JSON.stringify(orders)], {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  return new Promise((resolve, reject) => {
    child.once('message', () => resolve(child));
    child.once('exit', (code) => reject(new Error(`the worker ended with ${code}`)));
  });
}

async function stopWorkers(workers: readonly ChildProcess[]): Promise<void> {
  const gone = workers.map((worker) => once(worker, 'exit'));
  for (const worker of workers) worker.kill('SIGKILL');
  await Promise.all(gone);
}

interface JobState {
  readonly ingested: boolean;
  readonly processed: number;
  readonly ms: number | null;
  readonly is_over: boolean;
}

async function stateOf({ admin }: Bench, jobId: string): Promise<JobState> {
  const { rows } = await admin.query<JobState>(
    `select j.ingested_at is not null as ingested, j.done_items + j.error_items + j.skipped_items + j.not_found_items as processed,
            extract(epoch from j.ingested_at - r.started_at) * 1000 as ms, r.finished_at is not null as is_over
     from item_jobs j join engine.runs r on r.id = j.latest_run_id where j.job_id = $1`,
    [jobId],
  );
  return rows[0] as JobState;
}

async function isLeftIngested(bench: Bench, jobId: string): Promise<boolean> {
  if (!(await stateOf(bench, jobId)).ingested) return false;
  const { rows } = await bench.admin.query('select 1 from engine.leases limit 1');
  return rows.length === 0;
}

async function until<T>(look: () => Promise<T | undefined>, what: string, everyMs = 10): Promise<T> {
  for (const deadline = performance.now() + 600_000; performance.now() < deadline; ) {
    const seen = await look();
    if (seen !== undefined) return seen;
    await pause(everyMs);
  }
  throw new Error(`waited too long for ${what}`);
}

/** Seconds that psql takes to copy a file into a new table. */
async function timeCopy({ admin, adminUrl }: Bench, table: string, columns: string, file: string): Promise<number> {
  await admin.query(`drop table if exists bench_copy; create table bench_copy (${table})`);
  const startedAt = performance.now();
  const copy = spawnSync('psql', [adminUrl, '-q', '-c', `\\copy bench_copy ${columns} from '${file}' csv header`], {
    encoding: 'utf8',
  });
  if (copy.status !== 0) throw new Error(`psql failed: ${copy.stderr}`);
  return (performance.now() - startedAt) / 1_000;
}

async function writeFile(file: string, chunks: AsyncIterable<Buffer | string>): Promise<void> {
  const out = createWriteStream(file);
  for await (const chunk of chunks) if (!out.write(chunk)) await once(out, 'drain');
  await new Promise<void>((go) => out.end(() => go()));
}

const ITEM_COLUMNS = 'job_id,tenant_id,job_type,row_index,line,input_json,fingerprint';

/** The same rows as they are stored: what psql would have to bring into a table like ours. */
async function* itemRows(rows: number): AsyncGenerator<string> {
  yield `${ITEM_COLUMNS}\n`;
  const [jobId, tenantId] = [uuidv7(), uuidv7()];
  let row = 0;
  for (let text = ''; row < rows; text = '') {
    for (const end = Math.min(rows, row + 5_000); row < end; row += 1) {
      const cells = Array.from({ length: PERSIST_COLUMNS - 1 }, (_, at) => [
        `field ${at + 1}`,
        `value ${(row * 31 + (at + 1) * 7) % 9_973} of ${at + 1}`,
      ]);
      const json = JSON.stringify(Object.fromEntries([['n', String(row)], ...cells]));
      text += `${jobId},${tenantId},csv,${row},${row + 2},"${json.replaceAll('"', '""')}",${row * 1_234_567}\n`;
    }
    yield text;
  }
}

/** From the claim of the run until every row is stored; psql reads the same file into a table without keys, and the same rows into a table like ours. */
async function measurePersist(bench: Bench, { rounds, persist }: Dose): Promise<Figure[]> {
  const [file, itemFile] = [path.join(bench.folder, 'rows.csv'), path.join(bench.folder, 'items.csv')];
  await writeFile(file, csvRows(persist, PERSIST_COLUMNS));
  await writeFile(itemFile, itemRows(persist));
  const [ours, copies, alike]: [number[], number[], number[]] = [[], [], []];
  const columns = Array.from({ length: PERSIST_COLUMNS }, (_, at) => `c${at} text`).join(', ');
  for (let turn = 0; turn < rounds; turn += 1) {
    copies.push(await timeCopy(bench, columns, '', file));
    alike.push(await timeCopy(bench, 'like job_items including all', `(${ITEM_COLUMNS})`, itemFile));
    await bench.admin.query('drop table bench_copy; checkpoint');
    const jobId = await submitItems(bench.engine, bench.deps, {
      tenantId: bench.tenantId,
      processor: 'noop',
      body: csvRows(persist, PERSIST_COLUMNS),
      duplicates: 'skip',
    });
    await bench.admin.query(`update item_jobs set paused_at = now(), paused_by = 'bench' where job_id = $1`, [jobId]);
    const worker = await startWorker(bench);
    // The database says how long it took: who looks often only takes time from it.
    await until(async () => ((await stateOf(bench, jobId)).ingested ? true : undefined), 'the rows', 100);
    ours.push(((await stateOf(bench, jobId)).ms ?? 0) / 1_000);
    await stopWorkers([worker]);
    await dropJobs(bench);
    const said = [ours, copies, alike].map((each) => round(each.at(-1) ?? 0));
    bench.say(`persist ${turn + 1}: ${said[0]} s, psql ${said[1]} s, into a table like ours ${said[2]} s`);
  }
  const [mine, theirs, same] = [median(ours), Math.min(...copies), Math.min(...alike)];
  return [
    {
      id: 'persist-ratio',
      value: round(mine / theirs),
      unit: '× psql',
      peers: { 'psql-copy': round(theirs) },
      ratios: { 'psql-copy': round(mine / theirs) },
      spread: [round(Math.min(...ours) / theirs), round(Math.max(...ours) / theirs)],
    },
    {
      id: 'persist-like-ours',
      value: round(mine / same),
      unit: '× psql',
      peers: { 'psql-copy': round(same) },
      ratios: { 'psql-copy': round(mine / same) },
    },
    rate(
      'persist-rows',
      ours.map((seconds) => persist / seconds),
      'rows/s',
      {},
    ),
  ];
}

async function dropJobs({ admin }: Bench): Promise<void> {
  await admin.query(
    'truncate item_jobs, job_items, item_pieces, item_slices, item_attempts, item_slice_attempts, search_events, item_exports, item_images cascade',
  );
  await admin.query('truncate engine.leases, engine.ready, engine.scheduled');
  await admin.query('delete from engine.runs');
}

/** From the first item that is processed until the last is. */
async function measureItems(
  bench: Bench,
  { rounds, drain }: Dose,
  current: CurrentPeers | undefined,
): Promise<Figure[]> {
  const arena = await openArena(current);
  try {
    const peers = arena.peers.filter((name) => name !== 'graphile-worker');
    const figures: Figure[] = [];
    for (const workers of [1, 2]) {
      const ours: number[] = [];
      const theirs: Record<string, number[]> = {};
      for (let turn = 0; turn < rounds; turn += 1) {
        ours.push(await drainItems(bench, drain, workers));
        for (const peer of peers) {
          const { drainedPerSecond } = await measureDrain(arena, peer, drain, workers);
          theirs[peer] = [...(theirs[peer] ?? []), drainedPerSecond];
        }
        bench.say(`items with ${workers}: ${Math.round(ours.at(-1) ?? 0)}/s, ${JSON.stringify(theirs)}`);
      }
      const best = Object.fromEntries(Object.entries(theirs).map(([peer, rates]) => [peer, Math.max(...rates)]));
      figures.push(rate(workers === 1 ? 'items-rate' : 'items-rate-2', ours, 'items/s', best));
    }
    return figures;
  } finally {
    await arena.close();
  }
}

async function drainItems(bench: Bench, count: number, many: number): Promise<number> {
  const { tenantId, engine, deps, admin } = bench;
  const jobId = await submitItems(engine, deps, { tenantId, processor: 'noop', body: csvRows(count) });
  await admin.query(`update item_jobs set paused_at = now(), paused_by = 'bench' where job_id = $1`, [jobId]);
  const reader = await startWorker(bench);
  // The rows are there before the attempt that stored them has ended; a reader killed in between would leave its run to the rescuer.
  await until(async () => ((await isLeftIngested(bench, jobId)) ? true : undefined), 'the rows');
  await stopWorkers([reader]);
  await admin.query('vacuum analyze');
  await admin.query('checkpoint');
  await admin.query(`update item_jobs set paused_at = null, paused_by = null where job_id = $1`, [jobId]);
  const workers = await Promise.all(Array.from({ length: many }, () => startWorker(bench)));
  await engine.resume({ tenantId, by: 'bench' }, jobId).catch(() => undefined);
  await until(async () => ((await stateOf(bench, jobId)).processed === count ? true : undefined), 'the items');
  const { rows } = await admin.query<{ seconds: number }>(
    `select extract(epoch from max(ended_at) - min(started_at))::float8 as seconds from all_item_attempts where job_id = $1`,
    [jobId],
  );
  await stopWorkers(workers);
  await dropJobs(bench);
  return count / (rows[0]?.seconds ?? 1);
}

/** Items per second before the storm; after it, how long until a second passes in which nine tenths of that are processed. */
async function measureStorm(bench: Bench, { stormMs }: Dose): Promise<Figure> {
  const { tenantId, engine, deps } = bench;
  const jobId = await submitItems(engine, deps, { tenantId, processor: 'stormy', body: csvRows(200_000) });
  const calmMs = 10_000;
  const from = Date.now() + calmMs;
  const items = { itemSharedFrom: 100_000_000, claimMax: 500, workerTargetSliceMs: 500 };
  const worker = await startWorker(bench, { storm: [from, from + stormMs], items });
  const samples: { at: number; processed: number }[] = [];
  const recovered = await until(
    async () => {
      samples.push({ at: Date.now(), processed: (await stateOf(bench, jobId)).processed });
      const rateOver = (start: number, end: number) => {
        const inside = samples.filter(({ at }) => at >= start && at <= end);
        const [first, last] = [inside[0], inside.at(-1)];
        return first === undefined || last === undefined || last.at === first.at
          ? 0
          : ((last.processed - first.processed) / (last.at - first.at)) * 1_000;
      };
      const before = rateOver(from - 3_000, from);
      const now = Date.now();
      if (now < from + stormMs + 1_000) return undefined;
      const last = rateOver(now - 1_000, now);
      return last >= before * 0.9 && before > 0 ? { before, ms: now - 1_000 - (from + stormMs) } : undefined;
    },
    'the recovery',
    100,
  );
  await stopWorkers([worker]);
  await dropJobs(bench);
  bench.say(`storm: ${Math.round(recovered.before)} items/s before, back after ${Math.round(recovered.ms)} ms`);
  return { id: 'storm-recovery', value: Math.max(0, Math.round(recovered.ms)), unit: 'ms', peers: {}, ratios: {} };
}

async function measureExport(bench: Bench, { exported, rounds }: Dose): Promise<Figure[]> {
  const { tenantId, admin, folder, url } = bench;
  const jobId = await insertJob(bench, EXPORT_COLUMNS);
  const cells = Array.from(
    { length: EXPORT_COLUMNS - 1 },
    (_, at) => `'field ${at + 1}', 'value ' || ((g * 31 + ${at + 1} * 7) % 9973) || ' of ${at + 1}'`,
  );
  await admin.query(
    `insert into job_items (tenant_id, job_id, job_type, row_index, input_json, result_json, status)
     select $1, $2, 'csv', g, jsonb_build_object('n', g::text, ${cells.join(', ')}), jsonb_build_object('n', g::text), 'DONE'
     from generate_series(0, $3::int - 1) g`,
    [tenantId, jobId, exported],
  );
  await admin.query('vacuum analyze job_items');
  const run = (mode: 'job' | 'bare') => {
    const orders = { mode, url, folder, tenantId, jobId, rows: exported, columns: EXPORT_COLUMNS };
    const { stdout, status } = spawnSync(
      process.execPath,
      [programFile('test/bench/items-export.ts'), JSON.stringify(orders)],
      { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] },
    );
    if (status !== 0) throw new Error('the export failed');
    return JSON.parse(stdout) as { ms: number; peakMb: number; rows: number };
  };
  const [ours, bare] = [[] as ReturnType<typeof run>[], [] as ReturnType<typeof run>[]];
  for (let turn = 0; turn < rounds; turn += 1) {
    bare.push(run('bare'));
    ours.push(run('job'));
    bench.say(
      `export ${turn + 1}: ${Math.round(ours.at(-1)?.ms ?? 0)} ms, bare ${Math.round(bare.at(-1)?.ms ?? 0)} ms`,
    );
  }
  await dropJobs(bench);
  const [mine, theirs] = [median(ours.map(({ ms }) => ms)), median(bare.map(({ ms }) => ms))];
  const memory = Math.max(...ours.map(({ peakMb }) => peakMb));
  const bareMemory = Math.max(...bare.map(({ peakMb }) => peakMb));
  return [
    {
      id: 'export-ratio',
      value: round(mine / theirs),
      unit: '× bare',
      peers: { hucre: round(theirs / 1_000) },
      ratios: { hucre: round(mine / theirs) },
    },
    { id: 'export-rss', value: round(memory), unit: 'MB', peers: { hucre: round(bareMemory) }, ratios: {} },
  ];
}

async function insertJob({ admin, tenantId }: Bench, columns: number): Promise<string> {
  const jobId = uuidv7();
  const names = ['n', ...Array.from({ length: columns - 1 }, (_, at) => `field ${at + 1}`)];
  await admin.query(
    `insert into item_jobs (job_id, tenant_id, file_name, job_type, processor, processor_version, input_columns, output_columns, latest_run_id, ingested_at)
     values ($1, $2, 'rows.csv', 'csv', 'noop', 1, $3, $4, $1, engine.now())`,
    [jobId, tenantId, JSON.stringify(names), JSON.stringify(noop.columns)],
  );
  return jobId;
}

/** Under the tenant's row-level security, as the API reads it, from the question to the rows as they are shown. */
async function measureGrid(bench: Bench, { grid, looks }: Dose): Promise<Figure[]> {
  const { admin, tenantId, pool, say } = bench;
  const jobId = await insertJob(bench, 3);
  const piece = 500_000;
  for (let from = 0; from < grid; from += piece)
    await admin.query(
      `insert into job_items (tenant_id, job_id, job_type, row_index, input_json, result_json, status)
       select $1, $2, 'csv', g, jsonb_build_object('n', g::text, 'field 1', 'value ' || g, 'field 2', 'x'), jsonb_build_object('n', g::text),
              case when g % 100000 = 7 then 'ERROR' when g % 3 = 0 then 'NOT_FOUND' else 'DONE' end
       from generate_series($3::int, $4::int) g`,
      [tenantId, jobId, from, Math.min(grid, from + piece) - 1],
    );
  say(`${grid} items are there`);
  const page = { jobId, afterRow: -1, text: null, column: null, since: null, limit: 101 };
  const looking = async (work: Parameters<typeof withTenant>[2]) => {
    const times: number[] = [];
    for (let look = 0; look < looks; look += 1) {
      const startedAt = performance.now();
      await withTenant(pool, { tenantId, role: 'millrace_app' }, work, { readOnly: true });
      times.push(performance.now() - startedAt);
    }
    return times;
  };
  const first = await looking(async (db) => (await listItemsInOrder(db, page)).map(viewItem));
  const middle = await looking(async (db) =>
    (await listItemsInOrder(db, { ...page, afterRow: Math.floor(grid / 2) })).map(viewItem),
  );
  const statuses = ['ERROR', 'SKIPPED'];
  const rare = await looking(async (db) => (await listItemsOfStatuses(db, { ...page, statuses })).map(viewItem));
  const p95 = (id: string, times: readonly number[]): Figure => ({
    id,
    value: round(percentile(times, 0.95)),
    unit: 'ms',
    peers: {},
    ratios: {},
    spread: [round(Math.min(...times)), round(Math.max(...times))],
  });
  return [p95('page-p95', first), p95('page-middle-p95', middle), p95('page-rare-p95', rare)];
}

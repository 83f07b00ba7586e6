// npm run bench -- tabular: a 50 MB ads export from upload to completed, through the real server over HTTP, beside psql \copy of the same file,
// a multi-row INSERT script and pgloader where it is installed; then the same file again, and 500 MB with the cap raised.
//
// Ratios are ours / theirs, as the bars are worded ("at most 12 times psql \copy"; "a re-load at most 0.8 of the first load").
// Server: the embedded Postgres with fsync and synchronous_commit on. Peers only load the raw rows; we parse, validate, stage and promote.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, mkdtempSync, openAsBlob, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parse } from 'csv-parse';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../src/platform/embedded-postgres.ts';
import { uuidv7 } from '../../src/platform/ids.ts';
import { silentLog } from '../../src/platform/log.ts';
import { makeTempHome, removeTempHome } from '../support/temp-home.ts';
import { writeAdsExport } from './ads-export.ts';
import {
  type BenchOptions,
  type BenchResult,
  describeMachine,
  type Figure,
  median,
  onPath,
  rate,
  round,
} from './report.ts';

const MB = 1_000_000;
const COLUMNS = 15;
const ROWS_PER_INSERT = 1_000;
const root = fileURLToPath(new URL('../..', import.meta.url));

interface Load {
  readonly seconds: number;
  readonly walMb: number;
  /** Processor seconds of the server process; a busy machine lengthens the seconds above, hardly these. */
  readonly cpuSeconds: number;
  readonly rows: number;
  /** Seconds of each stage, in words. */
  readonly stages: string;
}

export async function benchTabular({ quick, say }: BenchOptions): Promise<BenchResult> {
  const machine = describeMachine(['pg', 'csv-parse']);
  build();
  const home = makeTempHome('bench');
  const files = mkdtempSync(path.join(tmpdir(), 'millrace-bench-'));
  const postgres = await startEmbeddedPostgres({ home, log: silentLog, settings: { max_connections: '100' } });
  const server = await startServer(postgres.adminUrl, files);
  try {
    const admin = new pg.Client({ connectionString: postgres.adminUrl });
    await admin.connect();
    const small = path.join(files, 'ads-50.csv');
    const facts = await writeAdsExport(small, 50 * MB);
    say(`50 MB: ${facts.rows} rows, ${facts.bad} of them bad`);
    const figures = await benchSmall({ quick, say }, server, admin, postgres.adminUrl, small);
    figures.push(rate('worker-rss', [server.peakRssMb()], 'MB', {}));
    if (!quick) figures.push(...(await benchLarge(say, server, admin, postgres.adminUrl, files)));
    await admin.end();
    return { machine: { ...machine, postgres: 'embedded 18, fsync on' }, figures };
  } finally {
    await server.stop();
    await postgres.stop();
    removeTempHome(home);
    rmSync(files, { recursive: true, force: true });
  }
}

async function benchSmall(
  { quick, say }: BenchOptions,
  server: Server,
  admin: pg.Client,
  url: string,
  file: string,
): Promise<Figure[]> {
  const rounds = quick ? 1 : 5;
  const ours: Load[] = [];
  const again: Load[] = [];
  const peers: Record<string, number[]> = { 'psql-copy': [], 'multi-row-insert': [] };
  if (onPath('pgloader')) peers.pgloader = [];
  const runPeers = async () => {
    peers['psql-copy']?.push(await timePsqlCopy(admin, url, file));
    peers['multi-row-insert']?.push(await timeInserts(admin, url, file));
    peers.pgloader?.push(await timePgloader(admin, url, file));
  };
  for (let i = 0; i < rounds; i++) {
    // Alternating order: whoever comes second finds warmer caches and a fuller disk.
    if (i % 2 === 0) await runPeers();
    const client = await addClient(server);
    const first = await load(server, admin, file, client);
    const second = await load(server, admin, file, client);
    if (i % 2 === 1) await runPeers();
    ours.push(first);
    again.push(second);
    say(
      `round ${i + 1}: first ${round(first.seconds)} s (${Math.round(first.rows / first.seconds)} rows/s, ${round(first.cpuSeconds)} s of processor, ${Math.round(first.walMb)} MB WAL), ` +
        `again ${round(second.seconds)} s (${round(second.cpuSeconds)} s of processor, ${Math.round(second.walMb)} MB WAL), psql ${round(peers['psql-copy']?.at(-1) ?? 0)} s; ` +
        `stages of the first ${first.stages}, again ${second.stages}`,
    );
  }
  const best = Object.fromEntries(Object.entries(peers).map(([name, times]) => [name, Math.min(...times)]));
  const firstSeconds = ours.map(({ seconds }) => seconds);
  say(
    `WAL of a re-load: ${round(median(again.map(({ walMb }) => walMb)) / median(ours.map(({ walMb }) => walMb)))} of the first load's`,
  );
  return [
    rate('first-load', firstSeconds, 's', best),
    rate(
      're-load',
      again.map(({ seconds }) => seconds),
      's',
      { 'first-load': median(firstSeconds) },
    ),
  ];
}

async function benchLarge(
  say: (line: string) => void,
  server: Server,
  admin: pg.Client,
  url: string,
  files: string,
): Promise<Figure[]> {
  const file = path.join(files, 'ads-500.csv');
  const facts = await writeAdsExport(file, 500 * MB, 11);
  server.resetPeak();
  const copy = await timePsqlCopy(admin, url, file);
  const large = await load(server, admin, file, await addClient(server));
  say(
    `500 MB: ${facts.rows} rows in ${round(large.seconds)} s (${Math.round(large.rows / large.seconds)} rows/s), psql ${round(copy)} s`,
  );
  return [
    rate('large-load', [large.seconds], 's', { 'psql-copy': copy }),
    rate('large-rss', [server.peakRssMb()], 'MB', {}),
  ];
}

/** From the first byte sent until the run is done. */
async function load(server: Server, admin: pg.Client, file: string, clientId: string): Promise<Load> {
  const before = await walPosition(admin);
  const cpuBefore = server.cpuSeconds();
  const startedAt = performance.now();
  const form = new FormData();
  for (const [name, value] of Object.entries({ platform: 'meta', source: 'manual', client_id: clientId }))
    form.set(name, value);
  form.set('file', await openAsBlob(file), 'export.csv');
  const answer = await fetch(`${server.url}/v1/uploads`, { method: 'POST', body: form });
  const { upload_id: id } = (await answer.json()) as { upload_id?: string };
  if (id === undefined) throw new Error(`the upload was refused: ${answer.status}`);
  for (;;) {
    const upload = (await (await fetch(`${server.url}/v1/uploads/${id}`)).json()) as {
      phase: string;
      error_text: string | null;
      receipt: { read: number };
    };
    if (upload.phase === 'done') {
      const seconds = (performance.now() - startedAt) / 1000;
      const walMb = ((await walPosition(admin)) - before) / MB;
      const cpuSeconds = server.cpuSeconds() - cpuBefore;
      return { seconds, cpuSeconds, rows: upload.receipt.read, walMb, stages: await stagesOf(admin, id) };
    }
    if (upload.phase === 'failed') throw new Error(`the upload failed: ${upload.error_text}`);
    // Each look costs the measured process a millisecond or two.
    await pause(100);
  }
}

/** Numbers belong to a client, which must exist. */
async function addClient(server: Server): Promise<string> {
  const answer = await fetch(`${server.url}/v1/clients`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: `bench ${uuidv7()}` }),
  });
  const { client_id: id } = (await answer.json()) as { client_id?: string };
  if (id === undefined) throw new Error(`the client was refused: ${answer.status}`);
  return id;
}

async function stagesOf(admin: pg.Client, runId: string): Promise<string> {
  const { rows } = await admin.query<{ stage: string; seconds: number }>(
    `select stage, extract(epoch from max(ended_at) - min(started_at))::float as seconds
     from engine.attempts where run_id = $1 group by stage order by min(started_at)`,
    [runId],
  );
  return rows.map(({ stage, seconds }) => `${stage} ${round(seconds)} s`).join(', ');
}

async function walPosition(admin: pg.Client): Promise<number> {
  const { rows } = await admin.query<{ bytes: string }>(
    `select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::text as bytes`,
  );
  return Number(rows[0]?.bytes);
}

async function freshTable(admin: pg.Client): Promise<void> {
  const columns = Array.from({ length: COLUMNS }, (_, i) => `c${i} text`).join(', ');
  await admin.query(`drop table if exists bench_raw; create table bench_raw (${columns})`);
}

async function timePsqlCopy(admin: pg.Client, url: string, file: string): Promise<number> {
  await freshTable(admin);
  const startedAt = performance.now();
  const { status, stderr } = spawnSync('psql', [url, '-q', '-c', `\\copy bench_raw from '${file}' csv header`], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`psql failed: ${stderr}`);
  return (performance.now() - startedAt) / 1000;
}

/** What many write first: a CSV parser and inserts of a thousand rows, in one transaction. */
async function timeInserts(admin: pg.Client, url: string, file: string): Promise<number> {
  await freshTable(admin);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const startedAt = performance.now();
  const text = (rows: number) =>
    `insert into bench_raw values ${Array.from({ length: rows }, (_, row) => `(${Array.from({ length: COLUMNS }, (_, column) => `$${row * COLUMNS + column + 1}`).join(',')})`).join(',')}`;
  const full = text(ROWS_PER_INSERT);
  await client.query('begin');
  let gathered: string[][] = [];
  for await (const row of createReadStream(file).pipe(parse({ from_line: 2 }))) {
    gathered.push(row as string[]);
    if (gathered.length < ROWS_PER_INSERT) continue;
    await client.query({ name: 'bench-insert', text: full, values: gathered.flat() });
    gathered = [];
  }
  if (gathered.length > 0) await client.query(text(gathered.length), gathered.flat());
  await client.query('commit');
  await client.end();
  return (performance.now() - startedAt) / 1000;
}

async function timePgloader(admin: pg.Client, url: string, file: string): Promise<number> {
  await freshTable(admin);
  const startedAt = performance.now();
  const options = [
    '--type',
    'csv',
    '--with',
    'skip header = 1',
    '--with',
    "fields terminated by ','",
    '--with',
    "fields optionally enclosed by '\"'",
  ];
  const { status, stderr } = spawnSync('pgloader', [...options, file, `${url}?tablename=bench_raw`], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`pgloader failed: ${stderr}`);
  return (performance.now() - startedAt) / 1000;
}

interface Server {
  readonly url: string;
  peakRssMb(): number;
  cpuSeconds(): number;
  resetPeak(): void;
  stop(): Promise<void>;
}

/** `millrace start` as a user runs it: API, worker and scheduler in one process, here without sign-in on loopback. */
async function startServer(databaseUrl: string, folder: string): Promise<Server> {
  const port = 20_000 + Math.floor(Math.random() * 20_000);
  const child = spawn(process.execPath, [path.join(root, 'dist', 'main', 'main.js'), 'start'], {
    env: {
      ...process.env,
      DATABASE_URL: databaseUrl,
      MILLRACE_HOME: path.join(folder, 'home'),
      HOST: '127.0.0.1',
      PORT: String(port),
      AUTH_ENABLED: 'false',
      UPLOAD_MAX_SIZE_MB: '1000',
      BROWSER: 'none',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => said.push(chunk.toString()));
  const url = `http://127.0.0.1:${port}`;
  for (let tries = 0; ; tries++) {
    if (child.exitCode !== null || tries > 600) throw new Error(`millrace did not start:\n${said.join('')}`);
    const ready = await fetch(`${url}/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (ready) break;
    await pause(50);
  }
  return {
    url,
    peakRssMb: () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0) / 1024,
    // User and system time, fields 14 and 15 of proc(5), in hundredths of a second.
    cpuSeconds: () => {
      const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
      return (Number(fields[11]) + Number(fields[12])) / 100;
    },
    // 5 resets the peak of resident memory (proc(5)); where that is not allowed the peak of both loads is reported.
    resetPeak: () => {
      spawnSync('sh', ['-c', `echo 5 > /proc/${child.pid}/clear_refs`]);
    },
    async stop() {
      if (child.exitCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

function build(): void {
  const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  spawnSync(process.execPath, [tsc, '-p', path.join(root, 'tsconfig.build.json')], { stdio: 'inherit' });
  spawnSync(process.execPath, [path.join(root, 'scripts', 'build-bundle.mjs')], { stdio: 'inherit' });
}

// R8: the disk fills up, again and again, under a running installation, and is freed again: under the files, under the tables, under the
// whole database with its write-ahead log, and under everything at once. Asked over HTTP only. While it is full the answer is 507 or 503
// with a code and a next step; no file is ever visible in part; once there is room the same processes go on by themselves; what was
// acknowledged comes to its end.
//
// The disk is a small file system in memory, which only root may mount; elsewhere the suite says so and counts nothing.
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { mountSmallDisk, type SmallDisk } from '../acceptance/small-disk.ts';
import { makeTempHome, removeTempHome } from '../support/temp-home.ts';
import { openChaosServer } from './ground.ts';
import { type Random, randomFrom } from './random.ts';
import { addCounts, noCounts } from './suites/suite.ts';

export interface DiskChaosOptions {
  readonly seed: number;
  readonly rounds: number;
  /** Of `places`; all of them when left out. */
  readonly only?: readonly string[] | undefined;
  readonly say: (line: string) => void;
}

/** What is on the small disk. */
const places = ['files', 'tables', 'database', 'everything'] as const;
type Place = (typeof places)[number];

const UPLOADS_PER_ROUND = 4;
/** Without any call by a person: the next poll, the next restart of the database's server. */
const RECOVERY_MS = 60_000;
/** A refused upload may leave nothing for longer. */
const LEFTOVERS_MS = 60_000;
/** How long a full disk is looked for: tables have room in the pages they hold already. */
const NOTICE_MS = 60_000;
const ANSWER_MS = 30_000;

interface Sent {
  readonly status: number;
  readonly code: string | undefined;
  readonly next: string | undefined;
  readonly runId: string | undefined;
}

interface Installation {
  readonly disk: SmallDisk;
  readonly blobs: string;
  readonly url: string;
  /** What the log says of runs that are named in these findings. */
  linesAbout(findings: readonly string[]): string[];
  stop(): Promise<void>;
}

export async function runDiskChaos(options: DiskChaosOptions) {
  const trial = mountSmallDisk(1);
  if (trial === undefined) {
    const skipped = 'R8 is skipped: it mounts a small file system, which only root may do';
    options.say(skipped);
    return { dose: { rounds: 0 }, counts: noCounts, details: { skipped } };
  }
  trial.remove();
  const chosen = places.filter((place) => options.only === undefined || options.only.includes(place));
  const results = [];
  for (const place of chosen) {
    const result = await fillRepeatedly(place, options);
    options.say(`R8 ${place}: ${JSON.stringify(result)}`);
    results.push(result);
  }
  return {
    dose: { rounds: options.rounds, places: chosen },
    counts: addCounts(...results.map(({ counts }) => counts)),
    details: results,
  };
}

async function fillRepeatedly(place: Place, { seed, rounds, say }: DiskChaosOptions) {
  const random = randomFrom(seed);
  const findings: string[] = [];
  const sent = new Map<string, string>();
  const acknowledged = new Set<string>();
  const statuses: Record<string, number> = {};
  let slowestRecoveryMs = 0;
  const installation = await install(place);
  const send = async (rows: number): Promise<Sent> => {
    const text = exportOf(rows, sent.size + 1);
    sent.set(createHash('sha256').update(text).digest('hex'), text);
    const answer = await upload(installation.url, text);
    statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
    if (answer.status === 202 && answer.runId !== undefined) acknowledged.add(answer.runId);
    else if (![507, 503].includes(answer.status) || answer.code === undefined || !answer.next)
      findings.push(`wrong: answered ${JSON.stringify(answer)}`);
    return answer;
  };
  try {
    await untilTaken(send);
    for (let round = 0; round < rounds; round += 1) {
      await fillUp(installation, send, random, findings);
      if (!(await isAlive(installation.url))) findings.push('stuck: /health does not answer while the disk is full');
      installation.disk.free();
      const freedAt = performance.now();
      if (!(await untilTaken(send)))
        findings.push(`stuck: round ${round}: no upload is taken after the disk was freed`);
      slowestRecoveryMs = Math.max(slowestRecoveryMs, Math.round(performance.now() - freedAt));
      findings.push(...partialFiles(installation.blobs, sent));
      say(`R8 ${place}: round ${round + 1} of ${rounds}, ${acknowledged.size} acknowledged`);
    }
    const unfinished = await unfinishedRuns(installation.url, acknowledged);
    findings.push(...unfinished);
    for (const line of installation.linesAbout(unfinished)) say(line);
    if (!(await leavesNothing(installation.blobs))) findings.push('orphans: leftovers of refused uploads');
  } finally {
    await installation.stop();
  }
  const counts = { ...noCounts } as Record<keyof typeof noCounts, number>;
  for (const finding of findings) counts[finding.split(':', 1)[0] as keyof typeof noCounts] += 1;
  return { place, counts, acknowledged: acknowledged.size, statuses, slowestRecoveryMs, findings };
}

/** Until somebody is told: full to the last byte, or nearly, so that some files break off in the middle. */
async function fillUp(
  { disk }: Installation,
  send: (rows: number) => Promise<Sent>,
  random: Random,
  findings: string[],
): Promise<void> {
  disk.fill(random.chance(0.5) ? 0 : random.between(1, 20) * 4_096);
  const deadline = performance.now() + NOTICE_MS;
  for (let refused = 0; refused < UPLOADS_PER_ROUND; ) {
    const answers = await Promise.all(
      Array.from({ length: UPLOADS_PER_ROUND }, () => send(random.between(200, 1_500))),
    );
    refused += answers.filter(({ status }) => status !== 202).length;
    if (performance.now() > deadline) return void findings.push('wrong: nobody was told that the disk is full');
  }
}

async function untilTaken(send: (rows: number) => Promise<Sent>): Promise<boolean> {
  const deadline = performance.now() + RECOVERY_MS;
  while (performance.now() < deadline) {
    if ((await send(20)).status === 202) return true;
    await pause(100);
  }
  return false;
}

/** Every file that can be seen has exactly the bytes somebody sent. */
function partialFiles(blobs: string, sent: ReadonlyMap<string, string>): string[] {
  return filesIn(blobs)
    .filter((file) => !file.includes('.incoming'))
    .filter((file) => !sent.has(createHash('sha256').update(readFileSync(file)).digest('hex')))
    .map((file) => `wrong: part of a file is visible as ${path.basename(file)}`);
}

async function leavesNothing(blobs: string): Promise<boolean> {
  const deadline = performance.now() + LEFTOVERS_MS;
  while (filesIn(path.join(blobs, '.incoming')).length > 0) {
    if (performance.now() > deadline) return false;
    await pause(200);
  }
  return true;
}

async function unfinishedRuns(url: string, acknowledged: ReadonlySet<string>): Promise<string[]> {
  const findings: string[] = [];
  const deadline = performance.now() + RECOVERY_MS + 1_000 * acknowledged.size;
  for (const id of acknowledged) {
    for (;;) {
      const answer = await fetch(`${url}/v1/runs/${id}`, { signal: AbortSignal.timeout(ANSWER_MS) });
      const run = (await answer.json()) as { status?: string; phase?: string; error?: { code?: string } | null };
      if (answer.status === 404) findings.push(`lost: ${id} was acknowledged and is not there`);
      else if (run.phase === 'failed' || run.phase === 'dead')
        findings.push(`wrong: ${id} is ${run.status} (${JSON.stringify(run.error)})`);
      else if (run.phase !== 'done' && performance.now() > deadline) findings.push(`stuck: ${id} is ${run.status}`);
      else if (run.phase !== 'done') {
        await pause(100);
        continue;
      }
      break;
    }
  }
  return findings;
}

async function install(place: Place): Promise<Installation> {
  const undo: (() => unknown)[] = [];
  const stop = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    return { ...(await (isWhole(place) ? installWhole(place, undo) : installApart(place, undo))), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** `undo` is filled with what takes it down again, to be done from the last to the first. */
async function installWhole(place: Place, undo: (() => unknown)[]): Promise<Omit<Installation, 'stop'>> {
  const disk = mount(768);
  const elsewhere = makeTempHome('disk');
  undo.push(
    () => disk.remove(),
    () => removeTempHome(elsewhere),
  );
  const blobs = path.join(place === 'everything' ? disk.folder : elsewhere, 'blobs');
  const server = await startServer({ MILLRACE_HOME: disk.folder, UPLOAD_STORE_PATH: blobs });
  undo.push(server.stop, () => disk.free());
  return { disk, blobs, url: server.url, linesAbout: server.linesAbout };
}

/** The installation's own server lies on the disk. */
function isWhole(place: Place): boolean {
  return place === 'database' || place === 'everything';
}

async function installApart(place: Place, undo: (() => unknown)[]): Promise<Omit<Installation, 'stop'>> {
  const home = makeTempHome('disk');
  undo.push(() => removeTempHome(home));
  const database = await openChaosServer();
  const ground = await database.ground({});
  const disk = place === 'files' ? mount(16) : await moveTables(database.adminUrl, ground.adminUrl);
  undo.push(
    () => disk.remove(),
    database.close,
    () => ground.close(),
  );
  const blobs = path.join(place === 'files' ? disk.folder : home, 'blobs');
  const server = await startServer({
    MILLRACE_HOME: home,
    UPLOAD_STORE_PATH: blobs,
    DATABASE_URL: ground.appUrl,
    DATABASE_MIGRATION_URL: ground.adminUrl,
  });
  undo.push(server.stop, () => disk.free());
  return { disk, blobs, url: server.url, linesAbout: server.linesAbout };
}

function mount(megabytes: number, like?: string): SmallDisk {
  const disk = mountSmallDisk(megabytes, like);
  if (disk === undefined) throw new Error('the small disk could not be mounted');
  return disk;
}

/** The whole database of the ground onto a disk of its own. */
async function moveTables(serverUrl: string, databaseUrl: string): Promise<SmallDisk> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ folder: string }>(`select current_setting('data_directory') as folder`);
    const disk = mount(160, rows[0]?.folder);
    await client.query(`create tablespace small_disk location '${disk.folder}'`);
    await client.query(`alter database ${new URL(databaseUrl).pathname.slice(1)} set tablespace small_disk`);
    return disk;
  } finally {
    await client.end();
  }
}

async function startServer(env: Readonly<Record<string, string>>) {
  const program = [
    '--import',
    import.meta.resolve('tsx'),
    fileURLToPath(new URL('../../src/main/main.ts', import.meta.url)),
  ];
  const child: ChildProcess = spawn(process.execPath, [...program, 'start', '--port', '0'], {
    cwd: tmpdir(),
    env: {
      PATH: process.env.PATH ?? '',
      HOME: process.env.HOME ?? '',
      AUTH_ENABLED: 'false',
      SHUTDOWN_GRACE_SECONDS: '3',
      POLL_INTERVAL_MS: '100',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  let stdout = '';
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      const address = /^open\s+(\S+)$/m.exec(stdout)?.[1];
      if (address !== undefined && stdout.includes('sign in')) resolve(address);
    });
    void ended.then(() => reject(new Error(`the server ended: ${stderr}`)));
  });
  return {
    url,
    linesAbout(findings: readonly string[]): string[] {
      const ids = findings.flatMap((finding) => /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(finding) ?? []);
      return stderr.split('\n').filter((line) => ids.some((id) => line.includes(id)));
    },
    async stop() {
      child.kill('SIGTERM');
      const forced = setTimeout(() => child.kill('SIGKILL'), 20_000);
      await ended;
      clearTimeout(forced);
    },
  };
}

async function upload(url: string, text: string): Promise<Sent> {
  const form = new FormData();
  form.set('platform', 'meta');
  form.set('source', 'manual');
  form.set('file', new Blob([text]), 'export.csv');
  try {
    const signal = AbortSignal.timeout(ANSWER_MS);
    const answer = await fetch(`${url}/v1/uploads`, { method: 'POST', body: form, signal });
    const body = (await answer.json()) as { code?: string; next?: string; upload_id?: string };
    return { status: answer.status, code: body.code, next: body.next, runId: body.upload_id };
  } catch {
    return { status: 0, code: undefined, next: undefined, runId: undefined };
  }
}

async function isAlive(url: string): Promise<boolean> {
  return fetch(`${url}/health`, { signal: AbortSignal.timeout(ANSWER_MS) }).then(
    ({ ok }) => ok,
    () => false,
  );
}

function exportOf(rows: number, campaign: number): string {
  const lines = Array.from(
    { length: rows },
    (_, row) => `Summer ${campaign},${campaign},2026-06-${String((row % 30) + 1).padStart(2, '0')},1.50,100,10`,
  );
  return `Campaign name,Campaign ID,Day,Amount spent (USD),Impressions,Link clicks\n${lines.join('\n')}\n`;
}

function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((file) =>
    file.isFile() ? [path.join(file.parentPath, file.name)] : [],
  );
}

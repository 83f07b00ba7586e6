// npm run demo:kill — an import on screen, its worker killed with kill -9 half way, taken over by another, finished, and its
// receipt verified. Real processes, real Postgres, no set-up; everything it makes is in a temporary folder and gone at the end.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createMillrace, type Millrace, type RunRow } from '../src/index.ts';
import { orders, prepare } from './demo/orders.pipeline.ts';

const ROWS = 20_000;
const BAD_EVERY = 100;
const LEASE_S = 3;
const DEADLINE_MS = 55_000;
const BAR = 24;

const root = fileURLToPath(new URL('..', import.meta.url));
const home = mkdtempSync(path.join(tmpdir(), 'millrace-demo-'));
const workers: ChildProcess[] = [];
const startedAt = performance.now();

chmodSync(home, 0o755);
process.once('SIGINT', () => {
  for (const worker of workers) worker.kill('SIGKILL');
  process.exit(130);
});

try {
  process.exitCode = (await demo()) ? 0 : 1;
} finally {
  for (const worker of workers) worker.kill('SIGKILL');
  rmSync(home, { recursive: true, force: true });
}

async function demo(): Promise<boolean> {
  const millrace = await createMillrace({
    home,
    pipelines: [orders],
    prepare,
    settings: { leaseMs: LEASE_S * 1_000, heartbeatMs: 1_000, pollMs: 100 },
  });
  try {
    tell('database', 'a Postgres of its own, started for this demo');
    // This process only looks after things; the work is done by workers that can be killed.
    await millrace.start({ services: true });
    const file = path.join(home, 'orders.csv');
    writeFileSync(file, makeOrders());
    const tenantId = '00000000-0000-7000-8000-00000000d390';
    const { id } = await millrace.enqueue({ pipeline: 'orders', tenantId, input: { file, rows: ROWS } });
    tell('import', `orders.csv, ${count(ROWS)} rows, every ${BAD_EVERY}th one broken: run ${id}`);
    const resumedFrom = await killHalfWay(millrace, id);
    const run = await finish(millrace, id, resumedFrom);
    return await prove(millrace, run);
  } finally {
    await stopWorkers();
    await millrace.stop();
  }
}

/** Lets one worker get half way, kills it, and returns how many rows were committed by then. */
async function killHalfWay(millrace: Millrace, id: string): Promise<number> {
  const victim = startWorker();
  tell('worker A', `process ${victim.pid} is starting`);
  await watch(millrace, id, 'worker A', (done) => done >= ROWS / 2);
  victim.kill('SIGKILL');
  await once(victim, 'exit');
  const done = (await millrace.runs.progress(id))?.done ?? 0;
  tell('kill -9', `process ${victim.pid} is gone, about ${count(done)} rows in; it had no chance to say goodbye`);
  return done;
}

async function finish(millrace: Millrace, id: string, before: number): Promise<RunRow> {
  const heir = startWorker();
  tell('worker B', `process ${heir.pid} is starting; the run is worker A's until its lease of ${LEASE_S} s is over`);
  const killedAt = performance.now();
  await waitUntil(async () => (await millrace.runs.get(id)).attempt > 1, 'the takeover');
  const { attempt } = await millrace.runs.get(id);
  tell('takeover', `after ${seconds(killedAt)}: attempt ${attempt} goes on from the last checkpoint, not from row 1`);
  await watch(millrace, id, 'worker B', (done) => done >= ROWS, before);
  return millrace.runs.wait(id, { timeoutMs: leftMs() });
}

async function prove(millrace: Millrace, run: RunRow): Promise<boolean> {
  const { inserted = 0, rejected = 0 } = run.receipt?.outcomes ?? {};
  tell('receipt', `${count(run.receipt?.read ?? 0)} = ${count(inserted)} inserted + ${count(rejected)} rejected`);
  const attempts = await millrace.runs.attempts(run.id);
  tell('history', attempts.map(({ attempt, outcome }) => `attempt ${attempt} ${outcome}`).join(', '));
  const verification = await millrace.runs.verify(run.id);
  const twice = await millrace.transaction(
    async (tx) => (await tx.query('select count(*) - count(distinct line) as n from demo_orders')).rows[0].n as number,
    { tenantId: run.tenant_id },
  );
  const isRight = verification.agrees && twice === 0 && run.phase === 'done';
  const words = isRight
    ? 'recounted from the file and the table: they agree, no row twice'
    : verification.differences.join('; ');
  tell(isRight ? '✔ verified' : '✖ wrong', `${words} (${seconds(startedAt)} in all)`);
  return isRight;
}

/** Draws the bar until `isEnough`. What is on screen is what was committed, at most a second old. */
async function watch(
  millrace: Millrace,
  id: string,
  who: string,
  isEnough: (done: number) => boolean,
  least = 0,
): Promise<void> {
  let done = least;
  await waitUntil(async () => {
    const run = await millrace.runs.get(id);
    done = Math.max(done, (await millrace.runs.progress(id))?.done ?? 0, run.finished_at === null ? 0 : ROWS);
    draw(who, done);
    return isEnough(done);
  }, `${who} to get on`);
  draw(who, done, true);
  process.stdout.write('\n');
}

function startWorker(): ChildProcess {
  const worker = spawn(process.execPath, ['--import', 'tsx', path.join(root, 'src/main/main.ts'), 'worker'], {
    cwd: root,
    stdio: 'ignore',
    env: {
      ...process.env,
      MILLRACE_HOME: home,
      PIPELINE_MODULES: path.join(root, 'scripts/demo/orders.pipeline.ts'),
      LEASE_SECONDS: String(LEASE_S),
      HEARTBEAT_SECONDS: '1',
      POLL_INTERVAL_MS: '100',
    },
  });
  workers.push(worker);
  return worker;
}

async function stopWorkers(): Promise<void> {
  const alive = workers.filter((worker) => worker.exitCode === null && worker.signalCode === null);
  const gone = alive.map((worker) => once(worker, 'exit'));
  for (const worker of alive) worker.kill('SIGTERM');
  await Promise.all(gone);
}

async function waitUntil(condition: () => Promise<boolean>, what: string): Promise<void> {
  while (!(await condition())) {
    if (leftMs() <= 0) throw new Error(`waited too long for ${what}`);
    await pause(100);
  }
}

function makeOrders(): string {
  const rows = Array.from({ length: ROWS }, (_, index) => {
    const number = index + 1;
    return `order-${number},${number % BAD_EVERY === 0 ? 'twelve' : (number % 997) / 4}`;
  });
  return `order_id,amount\n${rows.join('\n')}\n`;
}

/** Redrawn in place on a terminal; elsewhere only the last one is written. */
function draw(who: string, done: number, isLast = false): void {
  const filled = Math.round((done / ROWS) * BAR);
  const line = `${who.padEnd(10)}  ${'▇'.repeat(filled)}${'▁'.repeat(BAR - filled)}  ${count(done)} of ${count(ROWS)} rows`;
  if (process.stdout.isTTY) process.stdout.write(`\r\u001b[2K${line}`);
  else if (isLast) process.stdout.write(line);
}

function tell(what: string, text: string): void {
  process.stdout.write(`${what.padEnd(10)}  ${text}\n`);
}

function count(number: number): string {
  return number.toLocaleString('en-US');
}

function seconds(since: number): string {
  return `${((performance.now() - since) / 1_000).toFixed(1)} s`;
}

function leftMs(): number {
  return DEADLINE_MS - (performance.now() - startedAt);
}

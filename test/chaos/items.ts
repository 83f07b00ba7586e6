// Kills and freezes workers of items while jobs are submitted, paused, resumed, kicked off and reprocessed, and the provider fails, delays and refuses. What must hold
// is counted by items-audit.ts from a list of what was acknowledged.
//
//   npm run chaos -- items --seed 7 --kills 100

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createTenant } from '../../src/access/operator.ts';
import { itemsPipeline } from '../../src/pipelines/items/items.pipeline.ts';
import { kickOff } from '../../src/pipelines/items/process/kickoff.ts';
import { ensureRun, resetItems } from '../../src/pipelines/items/reprocess.ts';
import { selectJob, setPause } from '../../src/pipelines/items/sql/jobs.ts';
import { createPool, type Pool, type Queryable, withTenant } from '../../src/platform/database.ts';
import { silentLog } from '../../src/platform/log.ts';
import { buildEngine } from '../support/engine.ts';
import { itemsDeps } from '../support/items-deps.ts';
import { noop, readLedger, trouble } from '../support/items-provider.ts';
import { programFile } from '../support/programs.ts';
import { csvRows, submitItems } from '../support/submit-items.ts';
import type { Counts } from './auditor.ts';
import { dismissAll } from './dismiss.ts';
import { type ChaosServer, type Ground, openChaosServer, patienceMs } from './ground.ts';
import { type AcknowledgedJob, auditItems } from './items-audit.ts';
import { type Random, randomFrom } from './random.ts';

export interface ItemsDose {
  readonly seed: number;
  readonly kills: number;
  readonly workers: number;
  /** Workers that are frozen until others have taken their items. */
  readonly freezes: number;
}

export interface ItemsResult {
  readonly dose: ItemsDose;
  readonly counts: Counts;
  readonly findings: readonly string[];
  readonly details: Readonly<Record<string, number>>;
}

const settings = { leaseMs: 1_500, heartbeatMs: 400, pollMs: 50, concurrency: 2, lostLimit: 100_000 };
const items = {
  workerTargetSliceMs: 300,
  claimMax: 40,
  lockFloorMs: 1_000,
  lockCapMs: 2_000,
  itemTimeoutMs: 2_000,
  maxAttemptsError: 4,
  itemSharedFrom: 150,
  itemPartsPerJob: 3,
  itemJobsPerTenant: 4,
};
/** Half of the workers claim ranges of rows, as they would of quick items; the others claim item by item. */
const ranges = { ...items, claimMin: 256, claimMax: 300 };
const failpoints = ['commit.after_effects', 'commit.after_checkpoint', 'commit.after_commit', 'finish.before_commit'];
const FROZEN_MS = 3_500;
/** Jobs give way to each other again and again. */
const TURN_MS = 400;

export async function runItemsChaos(dose: ItemsDose, server?: ChaosServer): Promise<ItemsResult> {
  const own = server ?? (await openChaosServer());
  const random = randomFrom(dose.seed);
  const ground = await own.ground(settings);
  const folder = mkdtempSync(path.join(tmpdir(), 'millrace-items-chaos-'));
  const deps = itemsDeps(folder, { processors: [noop, trouble(folder)], settings: items });
  const engine = await buildEngine(ground.appUrl, [itemsPipeline(deps)], { settings });
  const pool = createPool({ url: ground.appUrl, max: 4, applicationName: 'chaos', connectTimeoutMs: 5_000 });
  const { tenant_id: tenantId } = await createTenant(pool, { name: 'Chaos' });
  const crew = new Crew(ground, folder, random, dose);
  const jobs: AcknowledgedJob[] = [];
  const done = { pauses: 0, kickoffs: 0, reprocessed: 0 };
  const inTenant = <T>(work: (tx: Queryable) => Promise<T>) =>
    withTenant(pool, { tenantId, role: 'millrace_app' }, work);
  try {
    for (let number = 0; number < dose.workers; number += 1) crew.hire();
    const deadline = Date.now() + 120_000 + dose.kills * 4_000 + patienceMs;
    // On a quick machine the kills are over before anything was reprocessed; the trouble goes on until there was enough of each.
    const isThrough = () => crew.isThrough && missingWork(dose, crew, jobs, done).length === 0;
    while (Date.now() < deadline && !isThrough()) {
      if ((await openJobs(ground)) < 4) {
        const rows = random.pick([40, 120, 300]);
        const body = csvRows(rows, 2, `${jobs.length}-`);
        jobs.push({ jobId: await submitItems(engine, deps, { tenantId, processor: 'trouble', body }), rows });
      }
      const job = jobs.length === 0 ? undefined : random.pick(jobs);
      if (job !== undefined) await disturb(random, job.jobId);
      await pause(random.between(20, 80));
      crew.disturb();
    }
    crew.calm();
    await inTenant(async (tx) => {
      for (const { jobId } of jobs) await setPause(tx, jobId, null);
    });
    await ensureEnded(ground, pool, engine, tenantId);
    const { counts, findings } = await auditItems(ground, jobs, readLedger(folder));
    const missing = missingWork(dose, crew, jobs, done);
    return {
      dose,
      counts: { ...counts, wrong: counts.wrong + missing.length },
      findings: [...findings, ...missing],
      details: { jobs: jobs.length, killed: crew.killed, frozen: crew.frozen, ...done },
    };
  } finally {
    await crew.dismiss();
    await engine.close();
    await pool.end();
    await ground.close();
    rmSync(folder, { recursive: true, force: true });
    if (server === undefined) await own.close();
  }

  async function disturb(dice: Random, jobId: string): Promise<void> {
    const job = await inTenant((tx) => selectJob(tx, tenantId, jobId));
    if (job === undefined || job.ingested_at === null) return;
    const what = dice.between(1, 100);
    if (what <= 10) {
      await inTenant((tx) => setPause(tx, jobId, job.paused_at === null ? 'chaos' : null));
      if (job.paused_at !== null)
        await engine.resume({ tenantId, by: 'chaos' }, job.latest_run_id).catch(() => undefined);
      else done.pauses += 1;
    } else if (what <= 25 && job.paused_at === null) {
      await kickOff({ engine, pool, log: silentLog, deps }, job, dice.between(20, 150));
      done.kickoffs += 1;
    } else if (what > 90) {
      done.reprocessed += await resetItems(inTenant, jobId, { itemIds: null, statuses: ['ERROR', 'NOT_FOUND'] });
      await ensureRun(engine, job);
    }
  }
}

/** A suite in which too little happened has proved nothing. */
function missingWork(
  dose: ItemsDose,
  crew: Crew,
  jobs: readonly AcknowledgedJob[],
  done: { pauses: number; kickoffs: number; reprocessed: number },
): string[] {
  const missing: string[] = [];
  if (crew.killed < dose.kills) missing.push(`proves nothing: ${crew.killed} of ${dose.kills} kills`);
  if (crew.frozen < dose.freezes) missing.push(`proves nothing: ${crew.frozen} of ${dose.freezes} freezes`);
  if (jobs.length < 3) missing.push(`proves nothing: only ${jobs.length} jobs`);
  for (const [what, many] of Object.entries(done)) if (many === 0) missing.push(`proves nothing: no ${what}`);
  return missing;
}

async function openJobs(ground: Ground): Promise<number> {
  const [row] = await ground.ask<{ left: number }>(
    `select count(*)::int as left from item_jobs j join engine.runs r on r.id = j.latest_run_id
     where r.finished_at is null and j.paused_at is null`,
  );
  return row?.left ?? 0;
}

/** Whoever was paused when the trouble ended goes on; the suite waits for all of them, as long as there is anything new: a slow machine is not stuck. */
async function ensureEnded(
  ground: Ground,
  pool: Pool,
  engine: Awaited<ReturnType<typeof buildEngine>>,
  tenantId: string,
): Promise<void> {
  let deadline = Date.now() + 90_000 + patienceMs;
  let seen = -1;
  for (;;) {
    const [moved] = await ground.ask<{ n: number }>(
      `select (select count(*) from all_item_attempts where outcome <> 'LOST')::int + (select coalesce(sum(total_items), 0) from item_jobs)::int as n`,
    );
    if (moved !== undefined && moved.n !== seen) {
      seen = moved.n;
      deadline = Date.now() + 90_000 + patienceMs;
    }
    const open = await ground.ask<{ job_id: string; run: string; is_over: boolean }>(
      `select j.job_id, j.latest_run_id as run, r.finished_at is not null as is_over
       from item_jobs j left join engine.runs r on r.id = j.latest_run_id
       where r.finished_at is null
          or exists (select from job_items i where i.job_id = j.job_id and i.status in ('PENDING', 'PROCESSING'))`,
    );
    if (open.length === 0 || Date.now() > deadline) return;
    for (const { job_id: jobId, run, is_over: isOver } of open) {
      if (!isOver) await engine.resume({ tenantId, by: 'chaos' }, run).catch(() => undefined);
      const job = await withTenant(pool, { tenantId, role: 'millrace_app' }, (tx) => selectJob(tx, tenantId, jobId));
      if (isOver && job !== undefined) await ensureRun(engine, job);
    }
    await pause(300);
  }
}

class Crew {
  killed = 0;
  frozen = 0;
  readonly #members = new Set<ChildProcess>();
  readonly #ground: Ground;
  readonly #folder: string;
  readonly #random: Random;
  readonly #dose: ItemsDose;
  #isOpen = true;
  #isCalm = false;

  constructor(ground: Ground, folder: string, random: Random, dose: ItemsDose) {
    this.#ground = ground;
    this.#folder = folder;
    this.#random = random;
    this.#dose = dose;
  }

  get isThrough(): boolean {
    return this.killed >= this.#dose.kills && this.frozen >= this.#dose.freezes;
  }

  hire(): void {
    const random = this.#random;
    const mayDie = !this.#isCalm && this.killed < this.#dose.kills;
    const failpoint = mayDie ? `${random.pick(failpoints)}:${random.between(3, 25)}` : undefined;
    const own = random.chance(0.5) ? ranges : items;
    const orders = { url: this.#ground.appUrl, folder: this.#folder, items: own, settings, failpoint, turnMs: TURN_MS };
    const child = spawn(process.execPath, [programFile('test/support/items-worker.ts'), JSON.stringify(orders)], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    this.#members.add(child);
    child.once('exit', (_, signal) => {
      this.#members.delete(child);
      if (!this.#isOpen) return;
      if (signal === 'SIGKILL' && !this.#isCalm) this.killed += 1;
      this.hire();
    });
  }

  /** Now and then a worker is killed at any moment, or frozen until others have taken its work: what it writes then comes too late. */
  disturb(): void {
    const [first] = this.#members;
    if (first === undefined) return;
    if (this.frozen < this.#dose.freezes && this.#random.chance(0.05)) {
      this.frozen += 1;
      first.kill('SIGSTOP');
      setTimeout(() => first.kill('SIGCONT'), FROZEN_MS);
    } else if (this.killed < this.#dose.kills && this.#random.chance(0.03)) first.kill('SIGKILL');
  }

  /** No more faults: whoever is armed makes room for somebody who is not. */
  calm(): void {
    this.#isCalm = true;
    for (const member of this.#members) member.kill('SIGKILL');
  }

  async dismiss(): Promise<void> {
    this.#isOpen = false;
    await dismissAll(this.#members);
  }
}

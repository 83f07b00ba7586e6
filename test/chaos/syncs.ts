// Kills workers between the trigger of a sync and the storing of its job id, and counts the jobs Airbyte then has: one per run.
// A kill comes before the trigger has its effect, after it and before the answer, or just after the answer was sent.
//
//   npm run chaos -- syncs --seed 7 --kills 200
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { createTenant } from '../../src/access/operator.ts';
import { JobDispatcher } from '../../src/pipelines/syncs/dispatcher.ts';
import { createPool } from '../../src/platform/database.ts';
import { type FakeAirbyte, startFakeAirbyte } from '../support/fake-airbyte/server.ts';
import { programFile } from '../support/programs.ts';
import { buildConnector, buildSyncs } from '../support/syncs.ts';
import type { Counts } from './auditor.ts';
import { type ChaosServer, openChaosServer, patienceMs } from './ground.ts';
import { randomFrom } from './random.ts';
import type { SyncWorkerOrders } from './syncs-worker.ts';

export interface SyncKillDose {
  readonly seed: number;
  readonly kills: number;
  readonly workers: number;
}

export interface SyncKillResult {
  readonly dose: SyncKillDose;
  readonly counts: Counts;
  readonly details: { readonly killed: Readonly<Record<Moment, number>>; readonly adopted: number };
}

type Moment = 'before effect' | 'before answer' | 'after answer';

const TENANTS = 5;
const moments: readonly Moment[] = ['before effect', 'before answer', 'after answer'];
// A run may lose its worker as often as its neighbours are killed.
const settings = { leaseMs: 1_500, heartbeatMs: 400, pollMs: 50, concurrency: 4, lostLimit: 10_000 };

export async function runSyncKills(dose: SyncKillDose, server?: ChaosServer): Promise<SyncKillResult> {
  const own = server ?? (await openChaosServer());
  const random = randomFrom(dose.seed);
  const killed: Record<Moment, number> = { 'before effect': 0, 'before answer': 0, 'after answer': 0 };
  const crew = new Map<string, ChildProcess>();
  const struck = new Map<string, Moment>();
  const kill = (token: string, moment: Moment) => {
    killed[moment] += 1;
    crew.get(token)?.kill('SIGKILL');
  };
  const airbyte = await startFakeAirbyte({
    seed: dose.seed,
    runMs: 200,
    beforeTrigger(connection, token) {
      if (struck.has(connection)) return true;
      struck.set(connection, random.pick(moments));
      if (struck.get(connection) !== 'before effect') return true;
      kill(token, 'before effect');
      return false;
    },
    beforeAnswer(job, token) {
      const moment = struck.get(job.connectionId);
      struck.set(job.connectionId, 'before effect');
      if (moment === 'before answer') kill(token, moment);
      if (moment === 'after answer') setTimeout(() => kill(token, moment), random.between(0, 4));
      return moment !== 'before answer';
    },
  });
  const ground = await own.ground(settings);
  let open = true;
  const hire = (number: number): void => {
    const token = `worker-${number}-${random.between(0, 2 ** 30)}`;
    airbyte.world.issuedTokens.set(token, Number.POSITIVE_INFINITY);
    const orders: SyncWorkerOrders = {
      url: ground.appUrl,
      settings,
      airbyte: { url: airbyte.url, token, workspaceId: airbyte.workspaceId },
    };
    const child = spawn(process.execPath, [programFile('test/chaos/syncs-worker.ts'), JSON.stringify(orders)], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    crew.set(token, child);
    child.once('exit', () => {
      crew.delete(token);
      if (open) hire(number);
    });
  };
  try {
    const runs = await makeRuns(ground.appUrl, airbyte, dose.kills);
    for (let number = 0; number < dose.workers; number += 1) hire(number);
    const left = () =>
      ground.ask<{ left: number }>(`select count(*)::int as left from engine.runs where finished_at is null`);
    const deadline = Date.now() + 30_000 + dose.kills * 3_000 + patienceMs;
    while (((await left())[0]?.left ?? 0) > 0 && Date.now() < deadline) await pause(100);
    return { dose, ...(await audit(ground, airbyte, runs, killed)) };
  } finally {
    open = false;
    const gone = [...crew.values()].map((child) => new Promise((resolve) => child.once('exit', resolve)));
    for (const child of crew.values()) child.kill('SIGKILL');
    await Promise.all(gone);
    await airbyte.close();
    await ground.close();
    if (server === undefined) await own.close();
  }
}

interface MadeRun {
  readonly jobId: string;
  readonly connectionId: string;
}

/** One connector and one run per kill, spread over a few tenants. */
async function makeRuns(url: string, airbyte: FakeAirbyte, count: number): Promise<MadeRun[]> {
  const pool = createPool({ url, role: 'millrace_app', max: 2, applicationName: 'chaos', connectTimeoutMs: 5_000 });
  const service = await buildSyncs(url, airbyte);
  const runs: MadeRun[] = [];
  try {
    const tenants: string[] = [];
    for (let index = 0; index < TENANTS; index += 1)
      tenants.push((await createTenant(pool, { name: `Tenant ${index}`, plan: 'enterprise' })).tenant_id);
    for (let index = 0; index < count; index += 1) {
      const tenantId = tenants[index % TENANTS] as string;
      const connector = await buildConnector(service, airbyte, tenantId);
      const { job } = await new JobDispatcher(service, tenantId).dispatch({ connectorId: connector.connector_id });
      runs.push({ jobId: job.job_id, connectionId: connector.connection_id });
    }
  } finally {
    await service.close();
    await pool.end();
  }
  return runs;
}

async function audit(
  ground: Awaited<ReturnType<ChaosServer['ground']>>,
  airbyte: FakeAirbyte,
  runs: readonly MadeRun[],
  killed: Record<Moment, number>,
): Promise<Pick<SyncKillResult, 'counts' | 'details'>> {
  const rows = await ground.ask<{ job_id: string; status: string; run_id: string | null; adopted: boolean }>(
    `select i.job_id, i.status, i.run_id, coalesce(j.adopted, false) as adopted
     from ingestion_jobs i left join sync_jobs j on j.job_id = i.job_id`,
  );
  const seen = new Map(rows.map((row) => [row.job_id, row]));
  const counts = { lost: 0, duplicated: 0, wrong: 0, stuck: 0, orphans: 0, zombieWrites: 0 };
  for (const { jobId, connectionId } of runs) {
    const run = seen.get(jobId);
    const jobs = airbyte.jobsOf(connectionId);
    if (run === undefined) counts.lost += 1;
    else if (run.status !== 'success') counts.stuck += 1;
    if (jobs.length > 1) counts.duplicated += 1;
    if (jobs.length === 1 && run?.run_id !== String(jobs[0]?.jobId)) counts.wrong += 1;
  }
  const told = await ground.ask<{ count: number }>(
    `select count(*)::int as count from engine.events where type = 'job.completed'`,
  );
  if (told[0]?.count !== runs.length) counts.lost += 1;
  return { counts, details: { killed, adopted: rows.filter((row) => row.adopted).length } };
}

// A simulated week of syncs: many connectors of many tenants on all plans, on a clock that jumps, against an Airbyte that fails now
// and then. With an outage in the middle, plans that are lowered, people who trigger by hand, and one tenant that has more
// connectors than the others. syncs-week-audit.ts says what is looked for.
//
//   npm run chaos -- syncs-week --seed 7
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { createTenant, setPlan } from '../../src/access/operator.ts';
import { MillraceError } from '../../src/contract/errors/millrace-error.ts';
import { fireDueSchedules } from '../../src/engine/services/scheduler.ts';
import { moveDueRuns } from '../../src/engine/sql/move-due-runs.ts';
import { JobDispatcher } from '../../src/pipelines/syncs/dispatcher.ts';
import type { SyncService } from '../../src/pipelines/syncs/sync-service.ts';
import { createPool, type Pool } from '../../src/platform/database.ts';
import { uuidv7 } from '../../src/platform/ids.ts';
import { silentLog } from '../../src/platform/log.ts';
import { calm, type Knobs } from '../support/fake-airbyte/knobs.ts';
import { type FakeAirbyte, startFakeAirbyte } from '../support/fake-airbyte/server.ts';
import { buildConnector, buildSyncs } from '../support/syncs.ts';
import { type ChaosServer, openChaosServer } from './ground.ts';
import { type Random, randomFrom } from './random.ts';
import { auditWeek, type RunFact } from './syncs-week-audit.ts';

export interface WeekDose {
  readonly seed: number;
  readonly tenants: number;
  readonly connectorsPerTenant: number;
  /** Those of one tenant, on the growth plan. */
  readonly connectorsOfTheLargest: number;
  readonly days: number;
  readonly stepMinutes: number;
  readonly outageHours: number;
  /** At most so many more steps, until no run waits for another try. */
  readonly stepsAtTheEnd: number;
}

export const landingWeek: WeekDose = {
  seed: 1,
  tenants: 50,
  connectorsPerTenant: 16,
  connectorsOfTheLargest: 216,
  days: 7,
  stepMinutes: 15,
  outageHours: 8,
  stepsAtTheEnd: 8,
};
export const smallWeek: WeekDose = {
  ...landingWeek,
  tenants: 6,
  connectorsPerTenant: 1,
  connectorsOfTheLargest: 2,
  days: 1,
  stepMinutes: 30,
  outageHours: 5,
};

const runFacts = `
  select r.input ->> 'connector_id' as connector_id, r.tenant_id, r.status, j.airbyte_job_id,
         (select count(*)::int from engine.attempts a where a.run_id = r.id) as attempts,
         extract(epoch from r.created_at)::float8 * 1000 as created_ms,
         (select extract(epoch from a.started_at - r.created_at)::float8 * 1000
          from engine.attempts a where a.run_id = r.id and a.attempt = 1) as wait_ms
  from engine.runs r
  left join sync_jobs j on j.job_id = r.id
  where r.pipeline = 'syncs'`;

interface Clock {
  offsetMs: number;
  readonly startedAt: number;
  /** By the simulated clock. */
  readonly jumps: { readonly from: number; readonly by: number }[];
}

interface Watched {
  readonly tenantId: string;
  readonly connectorId: string;
  readonly connectionId: string;
  readonly plan: string;
  /** When the plan was lowered to free, by the simulated clock. */
  loweredAt?: number;
}

const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** The second tenant; it is on the growth plan. */
const THE_LARGEST = 1;
const weather: Partial<Knobs> = { serverError: 0.004, rateLimited: 0.002, reset: 0.002, htmlPage: 0.001, busy: 0.002 };
// The clock jumps; a lease must outlast the longest jump.
const settings = { leaseMs: 2 * 86_400_000, heartbeatMs: 1_000, pollMs: 100, concurrency: 40 };

export async function runSyncWeek(dose: WeekDose, say: (line: string) => void = () => undefined, server?: ChaosServer) {
  // Nothing is killed here, so commits need not wait for the disk.
  const own = server ?? (await openChaosServer({ synchronous_commit: 'off', fsync: 'off' }));
  const random = randomFrom(dose.seed);
  const clock: Clock = { offsetMs: 0, startedAt: Date.now(), jumps: [] };
  const airbyte = await startFakeAirbyte({ seed: dose.seed, runMs: 20, clock: () => Date.now() + clock.offsetMs });
  const ground = await own.ground(settings);
  const admin = new pg.Client({ connectionString: ground.adminUrl });
  await admin.connect();
  await openClock(admin);
  const pool = createPool({
    url: ground.appUrl,
    role: 'millrace_app',
    max: 4,
    applicationName: 'week',
    connectTimeoutMs: 5_000,
  });
  const limits = { minIntervalSeconds: 60, accountTriggersPerHour: 60 };
  // One look is enough for a job of 20 ms.
  const poll = { firstMs: 30 };
  const service = await buildSyncs(ground.appUrl, airbyte, {
    settings,
    limits,
    poll,
    timeoutMs: 2_000,
    controlSize: 12,
  });
  try {
    const watched = await settle(service, pool, airbyte, dose);
    airbyte.knobs = { ...airbyte.knobs, ...weather };
    await service.engine.start();
    const outage = { from: 0, to: 0 };
    let unstarted = 0;
    const steps = (dose.days * 24 * 60) / dose.stepMinutes;
    for (let step = 1; step <= steps; step += 1) {
      if (step === Math.floor(steps / 2)) {
        outage.from = now(clock);
        await advance(admin, clock, dose.outageHours * HOUR);
        outage.to = now(clock);
        await lowerPlans(pool, watched, clock);
      } else await advance(admin, clock, dose.stepMinutes * MINUTE);
      await triggerByHand(service, watched, random);
      unstarted += await workOff(service, admin);
      if (step % 100 === 0) say(`step ${step} of ${steps}: ${airbyte.world.jobs.size} syncs`);
    }
    // What is between two tries comes to its end: no new trouble, and time for the longest pause.
    airbyte.knobs = calm;
    for (let step = 0; step < dose.stepsAtTheEnd && (await countRetries(admin)) > 0; step += 1) {
      await advance(admin, clock, dose.stepMinutes * MINUTE);
      unstarted += await workOff(service, admin);
    }
    const to = now(clock);
    const verdict = auditWeek({
      ...{ from: clock.startedAt, to, outage, stepMs: dose.stepMinutes * MINUTE, unstarted },
      connectors: watched.map((each) => ({ ...each, jobs: jobsOf(airbyte, each.connectionId) })),
      runs: (await ground.ask<RunFact>(runFacts)).map((run) => ({ ...run, wait_ms: realWait(run, clock.jumps) })),
    });
    const { counts, ...details } = verdict;
    for (const finding of verdict.findings) say(finding);
    const dead = await ground.ask<{ count: number }>(
      `select count(*)::int as count from engine.runs where phase = 'dead'`,
    );
    const completed = await ground.ask<{ count: number }>(
      `select count(*)::int as count from engine.runs where phase = 'done'`,
    );
    return {
      dose,
      counts,
      details: {
        ...details,
        connectors: watched.length,
        syncs: airbyte.world.jobs.size,
        succeeded: completed[0]?.count ?? 0,
        deadLetters: dead[0]?.count ?? 0,
      },
    };
  } finally {
    await service.close();
    await Promise.all([pool.end(), admin.end(), airbyte.close()]);
    await ground.close();
    if (server === undefined) await own.close();
  }
}

/** Tenants on all plans with their connectors; each tenant in a workspace of its own. */
async function settle(service: SyncService, pool: Pool, airbyte: FakeAirbyte, dose: WeekDose): Promise<Watched[]> {
  const watched: Watched[] = [];
  for (let index = 0; index < dose.tenants; index += 1) {
    const plan = planOf(index);
    const { tenant_id: tenantId } = await createTenant(pool, { name: `Tenant ${index}`, plan });
    const workspaceId = uuidv7();
    const { clients } = service;
    const local = { ...service, clients: { ...clients, settings: { ...clients.settings, workspaceId } } };
    const connectors = index === THE_LARGEST ? dose.connectorsOfTheLargest : dose.connectorsPerTenant;
    for (let each = 0; each < connectors; each += 1) {
      const { connectionId } = airbyte.addConnection({ workspaceId });
      const { connector_id: connectorId } = await buildConnector(local, airbyte, tenantId, { connectionId });
      watched.push({ tenantId, connectorId, connectionId, plan });
    }
  }
  return watched;
}

/** The jobs of a connection at Airbyte, as the audit wants them. */
function jobsOf(airbyte: FakeAirbyte, connectionId: string): { id: string; at: number }[] {
  return airbyte.jobsOf(connectionId).map((job) => ({ id: String(job.jobId), at: job.createdAt }));
}

/** Most tenants are free, some sync every six hours, a few every hour. */
function planOf(index: number): string {
  if (index % 25 === 0) return 'enterprise';
  return index % 5 === 1 ? 'growth' : 'free';
}

/** The engine's clock reads its offset from a row: redefining the function would have every statement planned again each step. */
async function openClock(admin: pg.Client): Promise<void> {
  await admin.query(`create table public.simulated_clock (ahead_by interval not null)`);
  await admin.query(`insert into public.simulated_clock values ('0')`);
  await admin.query(`grant select on public.simulated_clock to public`);
  await admin.query(
    `create or replace function engine.now() returns timestamptz language sql volatile parallel safe
     as $$ select clock_timestamp() + (select ahead_by from public.simulated_clock) $$`,
  );
}

async function advance(admin: pg.Client, clock: Clock, ms: number): Promise<void> {
  clock.jumps.push({ from: now(clock), by: ms });
  clock.offsetMs += ms;
  await admin.query(`update public.simulated_clock set ahead_by = $1::double precision * interval '1 millisecond'`, [
    clock.offsetMs,
  ]);
}

function now(clock: Pick<Clock, 'offsetMs'>): number {
  return Date.now() + clock.offsetMs;
}

/** A run that the scheduler fired just before the clock jumped did not wait for as long as the jump. */
function realWait({ created_ms: from, wait_ms: waited }: RunFact, jumps: Clock['jumps']): number | null {
  if (waited === null) return null;
  // Give or take the moment that a jump takes.
  const jumped = jumps.filter((jump) => jump.from >= from - SECOND && jump.from + jump.by <= from + waited + SECOND);
  return waited - jumped.reduce((sum, { by }) => sum + by, 0);
}

async function countRetries(admin: pg.Client): Promise<number> {
  const { rows } = await admin.query<{ count: number }>(
    `select count(*)::int as count from engine.runs where status = 'failed' and finished_at is null`,
  );
  return rows[0]?.count ?? 0;
}

/**
 * Everything that is due in this step is fired and worked on, also what the engine's own scheduler has in hand: its transaction may
 * be open, and then nothing of it is in the queue yet. Returns what was left after a minute.
 */
async function workOff({ engine }: SyncService, admin: pg.Client): Promise<number> {
  const { control } = engine.pools;
  const deadline = performance.now() + 60_000;
  for (;;) {
    const { rows } = await admin.query<{ due: number; left: number }>(
      `select (select count(*) from engine.schedules where enabled and next_at <= engine.now())::int
            + (select count(*) from engine.scheduled where available_at <= engine.now())::int as due,
              (select count(*) from engine.ready)::int + (select count(*) from engine.leases)::int as left`,
    );
    const { due = 0, left = 0 } = rows[0] ?? {};
    if (due + left === 0 || performance.now() > deadline) return due + left;
    if (due > 0) {
      while ((await fireDueSchedules(control, engine.registry, silentLog)) > 0);
      while ((await moveDueRuns(control, 1_000)).moved > 0);
      engine.wake();
    }
    await pause(10);
  }
}

/** A person tries one connector; most are refused because the minimum is not over. */
async function triggerByHand(service: SyncService, watched: readonly Watched[], random: Random): Promise<void> {
  if (!random.chance(0.3)) return;
  const { tenantId, connectorId } = random.pick(watched);
  await new JobDispatcher(service, tenantId).dispatch({ connectorId }).catch((error: unknown) => {
    if (!(error instanceof MillraceError) || error.code !== 'sync_too_soon') throw error;
  });
}

/** One tenant of those that sync every hour goes back to free: from the next tick on it is synced once a day. */
async function lowerPlans(pool: Pool, watched: readonly Watched[], clock: Clock): Promise<void> {
  const tenant = watched.find(({ plan }) => plan === 'enterprise')?.tenantId;
  if (tenant === undefined) return;
  await setPlan(pool, tenant, 'free');
  for (const each of watched) if (each.tenantId === tenant) each.loweredAt = now(clock);
}

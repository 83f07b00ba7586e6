// A simulated week of syncs: many connectors of many tenants on all plans, on a clock that jumps, against an Airbyte that fails now
// and then. With an outage in the middle, plans that are lowered, and people who trigger by hand. Counts windows that were missed,
// syncs that came too soon, and work that did not start in its step.
//
//   npm run chaos -- syncs-week --seed 7
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { createTenant, setPlan } from '../../src/access/operator.ts';
import { MillraceError } from '../../src/contract/errors/millrace-error.ts';
import { fireDueSchedules } from '../../src/engine/services/scheduler.ts';
import { moveDueRuns } from '../../src/engine/sql/move-due-runs.ts';
import { planCadences } from '../../src/pipelines/syncs/cadence.ts';
import { JobDispatcher } from '../../src/pipelines/syncs/dispatcher.ts';
import type { SyncDesk } from '../../src/pipelines/syncs/sync-desk.ts';
import { createPool, type Pool } from '../../src/platform/database.ts';
import { uuidv7 } from '../../src/platform/ids.ts';
import { silentLog } from '../../src/platform/log.ts';
import type { Knobs } from '../support/fake-airbyte/knobs.ts';
import { type FakeAirbyte, startFakeAirbyte } from '../support/fake-airbyte/server.ts';
import { buildConnector, buildSyncs } from '../support/syncs.ts';
import type { Counts } from './auditor.ts';
import { type ChaosServer, openChaosServer } from './ground.ts';
import { type Random, randomFrom } from './random.ts';

export interface WeekDose {
  readonly seed: number;
  readonly tenants: number;
  readonly connectorsPerTenant: number;
  readonly days: number;
  readonly stepMinutes: number;
  readonly outageHours: number;
}

export const landingWeek: WeekDose = {
  seed: 1,
  tenants: 50,
  connectorsPerTenant: 20,
  days: 7,
  stepMinutes: 10,
  outageHours: 8,
};
export const smallWeek: WeekDose = {
  ...landingWeek,
  tenants: 6,
  connectorsPerTenant: 1,
  days: 1,
  stepMinutes: 30,
  outageHours: 5,
};

interface Watched {
  readonly tenantId: string;
  readonly connectorId: string;
  readonly connectionId: string;
  readonly plan: string;
  /** When the plan was lowered to free, by the simulated clock. */
  loweredAt?: number;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** The cadence lets a start be this share early: a late start does not push the next window away. */
const TOLERANCE = 0.05;
/** The longest planned gap, and what retries may add to it. */
const LONGEST_GAP = 1.5;
const RETRIES_MS = 40 * MINUTE;
const weather: Partial<Knobs> = { serverError: 0.004, rateLimited: 0.002, reset: 0.002, htmlPage: 0.001, busy: 0.002 };
// The clock jumps; a lease must outlast the longest jump.
const settings = { leaseMs: 2 * 86_400_000, heartbeatMs: 1_000, pollMs: 100, concurrency: 40 };

export async function runSyncWeek(dose: WeekDose, say: (line: string) => void = () => undefined, server?: ChaosServer) {
  const own = server ?? (await openChaosServer());
  const random = randomFrom(dose.seed);
  const clock = { offsetMs: 0, startedAt: Date.now() };
  const airbyte = await startFakeAirbyte({ seed: dose.seed, runMs: 20, clock: () => Date.now() + clock.offsetMs });
  const ground = await own.ground(settings);
  const admin = new pg.Client({ connectionString: ground.adminUrl });
  await admin.connect();
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
  const desk = await buildSyncs(ground.appUrl, airbyte, { settings, limits, poll, timeoutMs: 2_000, controlSize: 12 });
  try {
    const watched = await settle(desk, pool, airbyte, dose);
    airbyte.knobs = { ...airbyte.knobs, ...weather };
    await desk.engine.start();
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
      unstarted += await workOff(desk, admin);
      await triggerByHand(desk, watched, random);
      if (step % 100 === 0) say(`step ${step} of ${steps}: ${airbyte.world.jobs.size} syncs`);
    }
    const counts = audit(airbyte, watched, clock, outage, dose);
    const dead = await ground.ask<{ count: number }>(
      `select count(*)::int as count from engine.runs where phase = 'dead'`,
    );
    const completed = await ground.ask<{ count: number }>(
      `select count(*)::int as count from engine.runs where phase = 'done'`,
    );
    return {
      dose,
      counts: { ...counts, stuck: unstarted } satisfies Counts,
      details: {
        syncs: airbyte.world.jobs.size,
        succeeded: completed[0]?.count ?? 0,
        deadLetters: dead[0]?.count ?? 0,
      },
    };
  } finally {
    await desk.close();
    await Promise.all([pool.end(), admin.end(), airbyte.close()]);
    await ground.close();
    if (server === undefined) await own.close();
  }
}

/** Tenants on all plans with their connectors; each tenant in a workspace of its own. */
async function settle(desk: SyncDesk, pool: Pool, airbyte: FakeAirbyte, dose: WeekDose): Promise<Watched[]> {
  const watched: Watched[] = [];
  for (let index = 0; index < dose.tenants; index += 1) {
    const plan = planOf(index);
    const { tenant_id: tenantId } = await createTenant(pool, { name: `Tenant ${index}`, plan });
    const workspaceId = uuidv7();
    const { clients } = desk;
    const local = { ...desk, clients: { ...clients, settings: { ...clients.settings, workspaceId } } };
    for (let each = 0; each < dose.connectorsPerTenant; each += 1) {
      const { connectionId } = airbyte.addConnection({ workspaceId });
      const { connector_id: connectorId } = await buildConnector(local, airbyte, tenantId, { connectionId });
      watched.push({ tenantId, connectorId, connectionId, plan });
    }
  }
  return watched;
}

/** Most tenants are free, some sync every six hours, a few every hour. */
function planOf(index: number): string {
  if (index % 25 === 0) return 'enterprise';
  return index % 5 === 1 ? 'growth' : 'free';
}

async function advance(admin: pg.Client, clock: { offsetMs: number }, ms: number): Promise<void> {
  clock.offsetMs += ms;
  await admin.query(
    `create or replace function engine.now() returns timestamptz language sql volatile parallel safe
     as $$ select clock_timestamp() + interval '${clock.offsetMs} milliseconds' $$`,
  );
}

function now(clock: { offsetMs: number }): number {
  return Date.now() + clock.offsetMs;
}

/** Everything that is due in this step is fired and worked on. Returns what was left after a minute. */
async function workOff({ engine }: SyncDesk, admin: pg.Client): Promise<number> {
  const { control } = engine.pools;
  while ((await fireDueSchedules(control, engine.registry, silentLog)) > 0);
  while ((await moveDueRuns(control, 1_000)).moved > 0);
  engine.wake();
  const deadline = performance.now() + 60_000;
  for (;;) {
    const { rows } = await admin.query<{ left: number }>(
      `select (select count(*) from engine.ready)::int + (select count(*) from engine.leases)::int as left`,
    );
    const left = rows[0]?.left ?? 0;
    if (left === 0 || performance.now() > deadline) return left;
    await pause(10);
  }
}

/** A person tries one connector; most are refused because the minimum is not over. */
async function triggerByHand(desk: SyncDesk, watched: readonly Watched[], random: Random): Promise<void> {
  if (!random.chance(0.3)) return;
  const { tenantId, connectorId } = random.pick(watched);
  await new JobDispatcher(desk, tenantId).dispatch({ connectorId }).catch((error: unknown) => {
    if (!(error instanceof MillraceError) || error.code !== 'sync_too_soon') throw error;
  });
}

/** One tenant of those that sync every hour goes back to free: from the next tick on it is synced once a day. */
async function lowerPlans(pool: Pool, watched: readonly Watched[], clock: { offsetMs: number }): Promise<void> {
  const tenant = watched.find(({ plan }) => plan === 'enterprise')?.tenantId;
  if (tenant === undefined) return;
  await setPlan(pool, tenant, 'free');
  for (const each of watched) if (each.tenantId === tenant) each.loweredAt = now(clock);
}

function audit(
  airbyte: FakeAirbyte,
  watched: readonly Watched[],
  clock: { offsetMs: number; startedAt: number },
  outage: { from: number; to: number },
  dose: WeekDose,
): Counts {
  const counts = { lost: 0, duplicated: 0, wrong: 0, stuck: 0, orphans: 0, zombieWrites: 0 };
  for (const each of watched) {
    const starts = airbyte.jobsOf(each.connectionId).map((job) => job.createdAt);
    const intervalAt = (ms: number) =>
      1_000 *
      (planCadences[each.loweredAt !== undefined && ms > each.loweredAt ? 'free' : each.plan]?.minimumSeconds ?? 0);
    const edges = [clock.startedAt, ...starts, now(clock)];
    for (const [index, start] of edges.entries()) {
      if (index === 0) continue;
      const before = edges[index - 1] as number;
      const interval = intervalAt(before);
      const isEdge = index === 1 || index === edges.length - 1;
      const crossed = before <= outage.to && start >= outage.from ? outage.to - outage.from : 0;
      const slack = RETRIES_MS + 2 * dose.stepMinutes * MINUTE + crossed;
      // Lowered while a window was planned: the old window may still pass before the new interval holds.
      const longest = Math.max(interval, intervalAt(start)) * LONGEST_GAP + slack;
      if (start - before > longest) counts.lost += 1;
      if (!isEdge && start - before < intervalAt(start) * (1 - TOLERANCE) - MINUTE) counts.duplicated += 1;
    }
  }
  return counts;
}

// R4: fifty claimers reach for one run whose lease has expired: one wins, and the attempt rises by one. And a lane with a cap of
// three, looked at every ten milliseconds while three processes work on it: never more than three.

import { Claimer } from '../../../src/engine/claimer.ts';
import { createEngine } from '../../../src/engine/engine.ts';
import { createEnginePools } from '../../../src/engine/engine-pools.ts';
import { rescueLostRuns } from '../../../src/engine/services/rescuer.ts';
import { registerWorker } from '../../../src/engine/sql/workers.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { silentLog } from '../../../src/platform/log.ts';
import { enginePoolUrls } from '../../support/pgbouncer.ts';
import type { Ground } from '../ground.ts';
import { tallyPipeline } from '../tally.ts';
import { resultOf, type Suite } from './suite.ts';

const CLAIMERS = 50;
const CAP = 3;
/**
 * Of the claimers, whose leases expire when the suite says so. The engine gives its statements no longer than a lease; with the short
 * one of the other suites, fifty that begin at once on a busy machine were given up before the server came to all of them.
 */
const RACING_LEASE_MS = 600_000;
const LEAST_SAMPLES = 10;
/** Batches of runs, at most, until the cap was seen reached. */
const MOST_BATCHES = 20;

export const raceClaimers: Suite = async (context) => {
  const { server, dose, leaseMs, heartbeatMs, random } = context;
  const racing = await server.ground({ leaseMs, heartbeatMs });
  const wrong: string[] = [];
  try {
    wrong.push(...(await race(racing, dose.races)));
  } finally {
    await racing.close();
  }
  const capped = await server.ground({ leaseMs, heartbeatMs, pollMs: 20, concurrency: 8, drainMs: 2_000 });
  try {
    const { seen, samples } = await sampleCap(capped, Math.max(30, dose.races), random.seed);
    if (seen > CAP) wrong.push(`${seen} runs of a lane at a time; the cap is ${CAP}`);
    return resultOf({
      ...{ id: 'R4', dose: { races: dose.races, claimers: CLAIMERS }, audits: [capped.audit()], own: wrong },
      // A cap that is never reached is not tried.
      atLeast: { acknowledged: Math.max(30, dose.races), mostAtATime: CAP, samples: LEAST_SAMPLES },
      details: { mostAtATime: seen, samples },
    });
  } finally {
    await capped.close();
  }
};

async function race(ground: Ground, races: number): Promise<string[]> {
  const wrong: string[] = [];
  const pools = createEnginePools({
    ...enginePoolUrls(ground.appUrl),
    controlSize: CLAIMERS,
    effectsSize: 1,
    connectTimeoutMs: 10_000,
    leaseMs: RACING_LEASE_MS,
    log: silentLog,
  });
  const engine = createEngine({ pools, pipelines: [tallyPipeline()], log: silentLog, version: 'chaos' });
  await engine.register();
  const claimers = await Promise.all(
    Array.from({ length: CLAIMERS }, async () => {
      const workerId = uuidv7();
      await enlist(workerId, RACING_LEASE_MS);
      return { workerId, claimer: new Claimer(pools.control, engine.registry) };
    }),
  );
  for (let number = 0; number < races; number += 1) {
    const dead = uuidv7();
    await enlist(dead, RACING_LEASE_MS);
    const input = { parts: 1, amount: 1, trouble: 'none', stepMs: 0 };
    const { id } = await engine.enqueue({ pipeline: 'tally', tenantId: uuidv7(), input });
    await new Claimer(pools.control, engine.registry).claim(dead, 1);
    await ground.ask(`update engine.workers set expires_at = engine.now() - interval '1 second' where worker_id = $1`, [
      dead,
    ]);
    const won = await Promise.all(
      claimers.map(async ({ workerId, claimer }) => {
        await rescueLostRuns(pools.control, silentLog);
        return claimer.claim(workerId, 1);
      }),
    );
    const winners = won.flat();
    const [run] = await ground.ask<{ attempt: number; leases: number }>(
      `select attempt, (select count(*)::int from engine.leases l where l.run_id = r.id) as leases from engine.runs r where id = $1`,
      [id],
    );
    if (winners.length !== 1 || run?.attempt !== 2 || run.leases !== 1)
      wrong.push(
        `${winners.length} of ${CLAIMERS} claimers won one run: attempt ${run?.attempt}, ${run?.leases} leases`,
      );
    // Out of the way of the next race.
    await ground.ask(`delete from engine.leases`);
  }
  await pools.close();
  return wrong;

  async function enlist(workerId: string, ms: number): Promise<void> {
    const worker = {
      workerId,
      name: 'racer',
      pid: 0,
      host: 'chaos',
      version: 'chaos',
      pipelines: ['tally'],
      concurrency: 1,
    };
    await registerWorker(pools.control, worker, ms);
  }
}

async function sampleCap(ground: Ground, runs: number, seed: number): Promise<{ seen: number; samples: number }> {
  const workers = [1, 2, 3].map(() => ground.worker({ laneCap: CAP }));
  await Promise.all(workers.map((worker) => worker.until('ready')));
  let seen = 0;
  let samples = 0;
  let settled = false;
  const sampling = (async () => {
    while (!settled) {
      const [row] = await ground.ask<{ most: number }>(
        `select coalesce(max(n), 0)::int as most from (select count(*) as n from engine.leases group by pipeline, lane) lanes`,
      );
      seen = Math.max(seen, row?.most ?? 0);
      samples += 1;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  })();
  // A machine that is quick ends them before they are looked at, one that is slow looks rarely: both go on.
  for (let batch = 0; batch < MOST_BATCHES && (batch === 0 || seen < CAP || samples < LEAST_SAMPLES); batch += 1) {
    await ground.feeder({ count: runs, seed: seed + batch, batch: 50, stepMs: 10, tenants: 1, laneCap: CAP }).exited;
    await ground.settle(60_000);
  }
  settled = true;
  await sampling;
  return { seen, samples };
}

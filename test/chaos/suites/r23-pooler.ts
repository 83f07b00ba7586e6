// R23: a PgBouncer in transaction mode between everybody and the server. It is restarted, paused and resumed, and has far too few
// connections to the server while runs come in.
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { hasPgBouncer, startPgBouncer } from '../../support/pgbouncer.ts';
import { resultOf, type Suite } from './suite.ts';

const RUNS_PER_ROUND = 12;
const PORTS = 'TEST_POOLER_PORTS';

export const troublePooler: Suite = async ({ server, random, dose, leaseMs, heartbeatMs, say }) => {
  const empty = { id: 'R23', dose: { troubles: 0 }, audits: [], atLeast: { acknowledged: 0 } };
  if (!hasPgBouncer()) return resultOf({ ...empty, details: { leftOut: 'no PgBouncer' } });
  const ground = await server.ground({ leaseMs, heartbeatMs, pollMs: 50, concurrency: 5, drainMs: 2_000 });
  const settings = { admin_users: 'millrace', query_wait_timeout: '3' };
  const pooler = await startPgBouncer(server.appUrl, [server.appUrl], { poolSize: 3, settings });
  const before = process.env[PORTS];
  // The engines of this process and of its children find the pooler here.
  process.env[PORTS] = `${new URL(server.appUrl).port}:${pooler.port}`;
  const counts = { restarts: 0, pauses: 0 };
  try {
    const workers = [ground.worker({ consume: true }), ground.worker({ consume: true })];
    await Promise.all(workers.map((worker) => worker.until('ready', 60_000)));
    for (let number = 0; number < dose.poolerTroubles; number += 1) {
      const feeder = ground.feeder({
        count: RUNS_PER_ROUND,
        seed: random.seed + number,
        batch: 4,
        everyMs: 40,
        stepMs: 10,
      });
      await pause(random.between(20, 300));
      if (number % 2 === 0) {
        await pooler.restart();
        counts.restarts += 1;
      } else {
        await pauseFor(pooler.through(server.appUrl), random.between(100, leaseMs));
        counts.pauses += 1;
      }
      await feeder.exited;
      if (number % 20 === 19) say(`R23: ${number + 1} of ${dose.poolerTroubles} troubles`);
    }
    await ground.settle(5_000);
    return resultOf({
      ...{ id: 'R23', dose: { troubles: dose.poolerTroubles }, audits: [ground.audit()] },
      atLeast: {
        acknowledged: dose.poolerTroubles * RUNS_PER_ROUND,
        restarts: Math.ceil(dose.poolerTroubles / 2),
        pauses: Math.floor(dose.poolerTroubles / 2),
      },
      details: counts,
    });
  } finally {
    await ground.close();
    if (before === undefined) delete process.env[PORTS];
    else process.env[PORTS] = before;
    await pooler.stop();
  }
};

/** As an operator does before a switch-over: transactions end, new ones wait. */
async function pauseFor(url: string, ms: number): Promise<void> {
  const console = new URL(url);
  console.pathname = '/pgbouncer';
  const client = new pg.Client({ connectionString: console.href });
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query('pause');
    await pause(ms);
  } finally {
    await client.query('resume').catch(() => {});
    await client.end();
  }
}

// R5: the server is stopped `immediate` every few seconds and ten backends a second are terminated, while runs come in and are
// worked on. What was acknowledged must be there.
import { setTimeout as pause } from 'node:timers/promises';
import { resultOf, type Suite } from './suite.ts';

export const stopServer: Suite = async ({ server, random, dose, leaseMs, heartbeatMs, say }) => {
  const ground = await server.ground({ leaseMs, heartbeatMs, pollMs: 50, concurrency: 5, drainMs: 2_000 });
  try {
    const workers = [ground.worker({ consume: true }), ground.worker({ consume: true })];
    await Promise.all(workers.map((worker) => worker.until('ready')));
    // Long enough for a stop and a few terminated backends, however few runs there are.
    const everyMs = Math.max(40, 12_000 / dose.serverRuns);
    const feeder = ground.feeder({ count: dose.serverRuns, seed: random.seed, batch: 3, everyMs, stepMs: 10 });
    let stops = 0;
    let terminated = 0;
    let nextStopAt = Date.now() + random.between(500, 1_500);
    while (feeder.isAlive()) {
      await pause(100);
      if (Date.now() > nextStopAt) {
        server.stopImmediately();
        stops += 1;
        say(`R5: server stopped (${stops})`);
        // Answers when the server is back. The supervisor gives up after ten restarts a minute.
        await ground.ask('select 1');
        nextStopAt = Date.now() + random.between(6_000, 10_000);
      } else if (await terminateOne()) terminated += 1;
    }
    await ground.settle(5_000);
    return resultOf({
      ...{ id: 'R5', dose: { runs: dose.serverRuns }, audits: [ground.audit()] },
      atLeast: { acknowledged: dose.serverRuns, stops: Math.max(1, Math.floor(dose.serverRuns / 600)), terminated: 5 },
      details: { stops, terminated },
    });
  } finally {
    await ground.close();
  }

  async function terminateOne(): Promise<boolean> {
    const rows = await ground
      .ask<{ gone: boolean }>(
        `select pg_terminate_backend(pid) as gone from pg_stat_activity
         where application_name like 'millrace%' and datname = current_database() order by random() limit 1`,
      )
      .catch(() => []);
    return rows.length > 0;
  }
};

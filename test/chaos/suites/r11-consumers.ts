// R11: the consumer of the outbox is killed before or after it marks its offset, and at random. Each event is applied once, none
// is missing, and the order is kept.
import { setTimeout as pause } from 'node:timers/promises';
import { type ChaosProcess, type Ground, patienceMs } from '../ground.ts';
import { resultOf, type Suite } from './suite.ts';

export const killConsumers: Suite = async ({ server, random, dose, leaseMs, heartbeatMs, say }) => {
  const ground = await server.ground({ leaseMs, heartbeatMs, pollMs: 50, concurrency: 5, drainMs: 2_000 });
  try {
    let killed = 0;
    const producer = ground.worker();
    await producer.until('ready');
    for (let kills = 0; kills < dose.consumerKills; kills += 1) {
      const where = random.pick(['consumer.before_commit', 'consumer.after_commit', 'pump.after_commit', undefined]);
      const failpoint = where === undefined ? {} : { failpoint: `${where}:${random.between(1, 3)}` };
      const consumer = ground.worker({ consume: true, ...failpoint });
      await Promise.race([consumer.until('ready'), consumer.exited]);
      await ground.feeder({ count: 10, seed: random.seed + kills, batch: 2, everyMs: 10, stepMs: 1 }).exited;
      await Promise.race([consumer.exited, pause(random.between(100, 600))]);
      if (consumer.isAlive()) ground.kill(consumer);
      if ((await consumer.exited) === 'SIGKILL') killed += 1;
      if (kills % 50 === 49) say(`R11: ${kills + 1} of ${dose.consumerKills} consumers killed`);
    }
    const last = ground.worker({ consume: true });
    await last.until('ready');
    // Before a consumer has its place, nothing seems to be left to consume.
    await hasConsumer(ground, last, 2 * leaseMs + 15_000 + patienceMs);
    await ground.settle();
    const [{ applied } = { applied: 0 }] = await ground.ask<{ applied: number }>(
      'select count(*)::int as applied from chaos.applied',
    );
    const runs = dose.consumerKills * 10;
    return resultOf({
      ...{ id: 'R11', dose: { kills: dose.consumerKills }, audits: [ground.audit()] },
      // Each run is queued, started twice, staged and ended.
      atLeast: { acknowledged: runs, applied: runs * 4, killed: dose.consumerKills },
      details: { applied, killed },
    });
  } finally {
    await ground.close();
  }
};

async function hasConsumer(ground: Ground, worker: ChaosProcess, withinMs: number): Promise<void> {
  for (const until = Date.now() + withinMs; worker.isAlive() && Date.now() < until; ) {
    if ((await ground.ask(`select from engine.consumers where consumer = 'chaos'`)).length > 0) return;
    await pause(100);
  }
}

// R7: twenty stages at a time on a pool of five connections. The heartbeat has a connection of its own, so no lease is lost.
import { setTimeout as pause } from 'node:timers/promises';
import { resultOf, type Suite } from './suite.ts';

export const starvePool: Suite = async ({ server, random, dose, leaseMs, heartbeatMs }) => {
  const ground = await server.ground({ leaseMs, heartbeatMs, pollMs: 50, concurrency: 20, drainMs: 2_000 });
  try {
    const worker = ground.worker({ controlSize: 2, effectsSize: 3, consume: true });
    await worker.until('ready');
    const until = Date.now() + dose.starvedSeconds * 1000;
    let rounds = 0;
    for (; rounds === 0 || Date.now() < until; rounds += 1) {
      await ground.feeder({ count: 60, seed: random.seed + rounds, batch: 30, stepMs: 0 }).exited;
      await pause(300);
    }
    await ground.settle(30_000);
    const audit = ground.audit();
    const own = audit.lostAttempts > 0 ? [`${audit.lostAttempts} leases were lost under a starved pool`] : [];
    return resultOf({
      ...{ id: 'R7', dose: { seconds: dose.starvedSeconds }, audits: [audit], own },
      atLeast: { acknowledged: rounds * 60 },
      details: { rounds },
    });
  } finally {
    await ground.close();
  }
};

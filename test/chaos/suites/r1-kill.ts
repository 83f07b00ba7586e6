// R1: a random worker is killed at a random time, again and again, while runs come in. Another process takes its place at once.
// One process without a worker stays, so that the time to recovery is the engine's and not that of starting processes.
import { setTimeout as pause } from 'node:timers/promises';
import { type ChaosProcess, type Feeder, type Ground, patienceMs } from '../ground.ts';
import { resultOf, type Suite } from './suite.ts';

const WORKERS = 3;

export const killAtRandom: Suite = async ({ server, random, dose, leaseMs, heartbeatMs, say }) => {
  const ground = await server.ground({ leaseMs, heartbeatMs, pollMs: 50, concurrency: 5, drainMs: 2_000 });
  try {
    const keeper = ground.worker({ work: false });
    const fleet = Array.from({ length: WORKERS }, () => ground.worker({ consume: true }));
    await Promise.all([keeper, ...fleet].map((worker) => worker.until('ready', 60_000)));
    const runs = Math.max(60, dose.kills * 6);
    const feeder = ground.feeder({ count: runs, seed: random.seed, batch: 4, everyMs: 60, stepMs: 20 });
    for (let kills = 0; kills < dose.kills; kills += 1) {
      const victim = random.between(0, WORKERS - 1);
      const worker = fleet[victim];
      // Most are killed with work in their hands, some as they start or idle.
      if (worker && random.chance(0.8)) await untilBusy(ground, worker, feeder);
      await pause(random.between(0, 150));
      if (worker) ground.kill(worker);
      fleet[victim] = ground.worker({ consume: true });
      if (kills % 50 === 49) say(`R1: ${kills + 1} of ${dose.kills} kills`);
    }
    await feeder.exited;
    await Promise.all(fleet.map((worker) => worker.until('ready', 60_000)));
    await ground.settle();
    const audit = ground.audit();
    const late = audit.recoveryP95Ms !== null && audit.recoveryP95Ms > leaseMs + 5_000 + patienceMs;
    const own = late ? [`recovery p95 ${audit.recoveryP95Ms} ms is over lease + 5 s`] : [];
    return resultOf({
      ...{ id: 'R1', dose: { kills: dose.kills, runs }, audits: [audit], own },
      atLeast: { acknowledged: runs, lostAttempts: Math.ceil(dose.kills / 8) },
      details: { recoveryP95Ms: audit.recoveryP95Ms },
    });
  } finally {
    await ground.close();
  }
};

async function untilBusy(ground: Ground, worker: ChaosProcess, feeder: Feeder): Promise<void> {
  const deadline = Date.now() + 5_000;
  while (Date.now() < deadline && worker.isAlive() && feeder.isAlive()) {
    const leases = await ground.ask(
      `select from engine.leases l join engine.workers w on w.worker_id = l.worker_id where w.pid = $1 limit 1`,
      [worker.pid],
    );
    if (leases.length > 0) return;
    await pause(10);
  }
}

// R3: a worker is stopped for two leases, half of them inside an open effects transaction; another takes its runs over; then
// the first one goes on. It must write nothing more for them, say that it lost its lease, and take new work.
import { setTimeout as pause } from 'node:timers/promises';
import { type ChaosProcess, type Ground, patienceMs } from '../ground.ts';
import { resultOf, type Suite } from './suite.ts';

/** Of looks for a zombie that holds something. */
const MOST_TRIES = 20;
const HOLDS = 'select from engine.leases l join engine.workers w using (worker_id) where w.pid = $1 limit 1';
const LOST = `select from engine.attempts a join engine.workers w using (worker_id) where w.pid = $1 and a.outcome = 'lost' limit 1`;

export const stopZombies: Suite = async ({ server, random, dose, leaseMs, heartbeatMs, say }) => {
  const ground = await server.ground({ leaseMs, heartbeatMs, pollMs: 50, concurrency: 4, drainMs: 2_000 });
  const silentOnes: string[] = [];
  try {
    let insides = 0;
    for (let number = 0; number < dose.zombies; number += 1) {
      const inside = number % 2 === 1;
      const zombie = ground.worker({ services: false, pauseInside: inside });
      await zombie.until('ready');
      const feeder = ground.feeder({ count: 12, seed: random.between(0, 2 ** 31), batch: 6, stepMs: 40 });
      if (inside) {
        await zombie.until('inside');
        insides += 1;
      } else {
        await feeder.exited;
        await pause(random.between(0, 80));
      }
      await stopAtWork(ground, zombie, random.between(0, 2 ** 31));
      const heir = ground.worker();
      await feeder.exited;
      await pause(leaseMs * 2);
      // On a slow machine the heir begins later.
      const isLost = await until(ground, LOST, zombie, 2 * leaseMs + 5_000 + patienceMs);
      zombie.signal('SIGCONT');
      if (isLost)
        await zombie
          .until('worker was declared lost', 2 * leaseMs)
          .catch(() => silentOnes.push('a zombie did not notice that it was declared lost'));
      // Reborn, it works again.
      await ground.feeder({ count: 4, seed: number + 1, stepMs: 1 }).exited;
      await ground.settle();
      zombie.signal('SIGTERM');
      heir.signal('SIGTERM');
      await Promise.all([zombie.exited, heir.exited]);
      if (number % 10 === 9) say(`R3: ${number + 1} of ${dose.zombies} zombies`);
    }
    const { zombies } = dose;
    return resultOf({
      ...{ id: 'R3', dose: { zombies }, audits: [ground.audit()], own: silentOnes },
      atLeast: { acknowledged: zombies * 16, lostAttempts: zombies, insideTransaction: Math.floor(zombies / 2) },
      details: { insideTransaction: insides },
    });
  } finally {
    await ground.close();
  }
};

/** With work in its hands: on a slow machine it has none yet, on a quick one none any more. */
async function stopAtWork(ground: Ground, zombie: ChaosProcess, seed: number): Promise<void> {
  for (let tries = 0; zombie.isAlive() && tries < MOST_TRIES; tries += 1) {
    await until(ground, HOLDS, zombie, 5_000);
    zombie.signal('SIGSTOP');
    // What it had sent is through.
    await pause(50);
    if ((await ground.ask(HOLDS, [zombie.pid])).length > 0) return;
    zombie.signal('SIGCONT');
    await ground.feeder({ count: 12, seed: seed + tries, batch: 6, stepMs: 40 }).exited;
  }
}

/** Whether it came to it in time. */
async function until(ground: Ground, sql: string, { pid, isAlive }: ChaosProcess, withinMs: number): Promise<boolean> {
  for (const deadline = Date.now() + withinMs; isAlive(); await pause(10)) {
    if ((await ground.ask(sql, [pid])).length > 0) return true;
    if (Date.now() > deadline) return false;
  }
  return false;
}

// R3: a worker is stopped for two leases, half of them inside an open effects transaction; another takes its runs over; then
// the first one goes on. It must write nothing more for them, say that it lost its lease, and take new work.
import { setTimeout as pause } from 'node:timers/promises';
import { resultOf, type Suite } from './suite.ts';

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
      zombie.signal('SIGSTOP');
      const heir = ground.worker();
      await feeder.exited;
      await pause(leaseMs * 2);
      zombie.signal('SIGCONT');
      const held = (await ground.ask(`select from engine.attempts where outcome = 'lost' limit 1`)).length > 0;
      if (held) {
        await zombie
          .until('worker was declared lost', 2 * leaseMs)
          .catch(() => silentOnes.push('a zombie did not notice that it was declared lost'));
      }
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

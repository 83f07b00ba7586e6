// R6: the connection is cut after COMMIT was sent and before its answer arrives, for workers and for those who hand runs in.
// The only right thing to do is to ask what became of it.
import { frontOf } from '../../support/pgbouncer.ts';
import { openCuttingProxy } from '../proxy.ts';
import { resultOf, type Suite } from './suite.ts';

export const cutCommits: Suite = async ({ server, random, dose, leaseMs, heartbeatMs, say }) => {
  const ground = await server.ground({ leaseMs, heartbeatMs, pollMs: 50, concurrency: 5, drainMs: 2_000 });
  const front = frontOf(ground.appUrl);
  const proxy = await openCuttingProxy(front, random, { commit: 0.2, other: 0.02 });
  front.standsBefore(proxy.port);
  try {
    const through = new URL(ground.appUrl);
    through.port = String(proxy.port);
    const url = through.href;
    const workers = [ground.worker({ url, consume: true }), ground.worker({ url, consume: true })];
    await Promise.all(workers.map((worker) => worker.until('ready', 60_000)));
    for (let number = 0; proxy.cuts.commits < dose.cuts; number += 1) {
      await ground.feeder({ url, count: 20, seed: random.seed + number, batch: 4, everyMs: 10, stepMs: 2 }).exited;
      if (number % 20 === 19) say(`R6: ${proxy.cuts.commits} of ${dose.cuts} commits cut`);
    }
    proxy.calm();
    await ground.settle(5_000);
    return resultOf('R6', { cuts: dose.cuts }, [ground.audit()], [], { ...proxy.cuts });
  } finally {
    await ground.close();
    await proxy.close();
  }
};

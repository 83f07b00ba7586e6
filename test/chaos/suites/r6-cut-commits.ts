// R6: the connection is cut around a COMMIT, for workers and for those who submit runs: after the server has done it, while it is
// still at it, or before it has seen it. The only right thing to do is to ask what became of it.
import { frontOf } from '../../support/pgbouncer.ts';
import { openProxy } from '../proxy.ts';
import { resultOf, type Suite } from './suite.ts';

const RUNS_PER_ROUND = 20;
/** Cuts come at least this often, or whatever is cut does no work any more. */
const ROUNDS_PER_CUT = 5;

export const cutCommits: Suite = async ({ server, random, dose, leaseMs, heartbeatMs, say }) => {
  const ground = await server.ground({ leaseMs, heartbeatMs, pollMs: 50, concurrency: 5, drainMs: 2_000 });
  const front = frontOf(ground.appUrl);
  const proxy = await openProxy(front, random);
  front.standsBefore(proxy.port);
  try {
    const url = proxy.urlOf(ground.appUrl);
    const workers = [ground.worker({ url, consume: true }), ground.worker({ url, consume: true })];
    await Promise.all(workers.map((worker) => worker.until('ready', 60_000)));
    proxy.setWeather({
      loseAnswer: { commit: 0.1, other: 0.01 },
      cutBefore: { commit: 0.08, other: 0.01 },
      loseRequest: { commit: 0.05, other: 0.005 },
    });
    let rounds = 0;
    for (; proxy.struck.commits < dose.cuts && rounds < dose.cuts * ROUNDS_PER_CUT + 5; rounds += 1) {
      const feeder = { url, count: RUNS_PER_ROUND, seed: random.seed + rounds, batch: 4, everyMs: 10, stepMs: 2 };
      await ground.feeder(feeder).exited;
      if (rounds % 20 === 19) say(`R6: ${proxy.struck.commits} of ${dose.cuts} commits cut`);
    }
    proxy.calm();
    await ground.settle(5_000);
    const { loseAnswer, cutBefore, loseRequest, commits } = proxy.struck;
    return resultOf({
      ...{ id: 'R6', dose: { cuts: dose.cuts }, audits: [ground.audit()] },
      atLeast: { acknowledged: rounds * RUNS_PER_ROUND, commits: dose.cuts },
      details: { commits, loseAnswer, cutBefore, loseRequest },
    });
  } finally {
    await ground.close();
    await proxy.close();
  }
};

// R19: the network loses connections silently. All connections of a process fall silent at once, as in a failover by address or
// behind a firewall that forgot its table; others are reset before the answer, lose requests, or answer late. New ones work.
import { setTimeout as pause } from 'node:timers/promises';
import { frontOf } from '../../support/pgbouncer.ts';
import { openProxy } from '../proxy.ts';
import { resultOf, type Suite } from './suite.ts';

const RUNS_PER_ROUND = 12;

export const silenceNetwork: Suite = async ({ server, random, dose, leaseMs, heartbeatMs, say }) => {
  const ground = await server.ground({ leaseMs, heartbeatMs, pollMs: 50, concurrency: 5, drainMs: 2_000 });
  const front = frontOf(ground.appUrl);
  const proxy = await openProxy(front, random);
  front.standsBefore(proxy.port);
  try {
    const url = proxy.urlOf(ground.appUrl);
    const workers = [ground.worker({ url, consume: true }), ground.worker({ url, consume: true })];
    await Promise.all(workers.map((worker) => worker.until('ready', 60_000)));
    let silences = 0;
    for (; silences < dose.silences; silences += 1) {
      proxy.setWeather({
        silence: { other: 0.002 },
        cutBefore: { commit: 0.02, other: 0.004 },
        loseRequest: { other: 0.004 },
        delay: { other: 0.05, maxMs: 200 },
      });
      const feeder = ground.feeder({
        ...{ url, count: RUNS_PER_ROUND, seed: random.seed + silences, batch: 4, everyMs: 50, stepMs: 10 },
      });
      await pause(random.between(50, 400));
      proxy.silence();
      await feeder.exited;
      if (silences % 10 === 9) say(`R19: ${silences + 1} of ${dose.silences} times silent`);
    }
    proxy.calm();
    await ground.settle(5_000);
    const { silence, cutBefore, loseRequest, delay } = proxy.struck;
    return resultOf({
      ...{ id: 'R19', dose: { silences: dose.silences }, audits: [ground.audit()] },
      atLeast: { acknowledged: silences * RUNS_PER_ROUND, silence: dose.silences },
      details: { silence, cutBefore, loseRequest, delay },
    });
  } finally {
    await ground.close();
    await proxy.close();
  }
};

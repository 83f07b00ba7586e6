// R15: workers are asked to stop under load. They end by themselves, what they had not begun goes back at no cost, and nothing is
// declared lost.
import { setTimeout as pause } from 'node:timers/promises';
import { patienceMs } from '../ground.ts';
import { resultOf, type Suite } from './suite.ts';

export const drainUnderLoad: Suite = async ({ server, random, dose, leaseMs, heartbeatMs }) => {
  const ground = await server.ground({ leaseMs, heartbeatMs, pollMs: 50, concurrency: 4, drainMs: 1_500 });
  const own: string[] = [];
  try {
    let worker = ground.worker({ consume: true });
    await worker.until('ready');
    const feeder = ground.feeder({ count: dose.drains * 25, seed: random.seed, batch: 5, everyMs: 30, stepMs: 15 });
    for (let number = 0; number < dose.drains; number += 1) {
      await pause(random.between(100, 500));
      const next = ground.worker({ consume: true });
      await next.until('ready');
      worker.signal('SIGTERM');
      const ended = await Promise.race([worker.exited, pause(10_000 + patienceMs, 'too late')]);
      if (ended !== 0) own.push(`a drained worker ended with ${ended}`);
      worker = next;
    }
    await feeder.exited;
    await ground.settle();
    const audit = ground.audit();
    if (audit.lostAttempts > 0) own.push(`${audit.lostAttempts} runs of drained workers were declared lost`);
    const charged = await ground.ask(
      `select r.id from engine.runs r where exists (select from engine.attempts a where a.run_id = r.id and a.outcome = 'released')
         and exists (select from jsonb_object_keys(r.failures) k where k like 'lost:%')`,
    );
    const [{ drained } = { drained: 0 }] = await ground.ask<{ drained: number }>(
      `select count(distinct w.worker_id)::int as drained from engine.workers w join engine.attempts a using (worker_id) where w.end_reason = 'stopped'`,
    );
    if (charged.length > 0) own.push(`${charged.length} released runs were charged with a loss`);
    return resultOf({
      ...{ id: 'R15', dose: { drains: dose.drains }, audits: [audit], own },
      // A worker that had no work when it was asked to stop shows little.
      atLeast: { acknowledged: dose.drains * 25, drained: Math.ceil(dose.drains / 2) },
      details: { drained },
    });
  } finally {
    await ground.close();
  }
};

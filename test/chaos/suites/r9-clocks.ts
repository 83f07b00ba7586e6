// R9: workers whose clocks are ten minutes or a day off, ahead or behind. The engine's clock is the database's, so the outcome
// is the same.
import { resultOf, type Suite } from './suite.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const clocks = [10 * MINUTE, -10 * MINUTE, DAY, -DAY];

export const skewClocks: Suite = async ({ server, random, dose, leaseMs, heartbeatMs }) => {
  const ground = await server.ground({ leaseMs, heartbeatMs, pollMs: 50, concurrency: 5, drainMs: 2_000 });
  const own: string[] = [];
  try {
    for (const skewMs of clocks) {
      const worker = ground.worker({ skewMs, consume: true });
      await worker.until('ready');
      await ground.feeder({ count: dose.clockRuns, seed: random.seed + skewMs, batch: 10, stepMs: 1 }).exited;
      await ground.settle();
      worker.signal('SIGTERM');
      await worker.exited;
    }
    const audit = ground.audit();
    const [{ workers } = { workers: 0 }] = await ground.ask<{ workers: number }>(
      'select count(distinct worker_id)::int as workers from engine.attempts',
    );
    if (audit.lostAttempts > 0) own.push(`${audit.lostAttempts} leases were lost to a wrong clock`);
    return resultOf({
      ...{ id: 'R9', dose: { runsPerClock: dose.clockRuns, clocks: clocks.length }, audits: [audit], own },
      // Each wrong clock has ended work of its own.
      atLeast: { acknowledged: dose.clockRuns * clocks.length, workers: clocks.length },
      details: { workers },
    });
  } finally {
    await ground.close();
  }
};

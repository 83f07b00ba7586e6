// What only Millrace is asked: fairness among many tenants of several pipelines, long runs over several workers, and a drain while
// somebody holds an old snapshot.
import { setTimeout as pause } from 'node:timers/promises';
import type { Arena, Ground } from './arena.ts';
import { wallMs } from './contender.ts';
import { Program } from './program.ts';

const PIPELINES = 3;
const WORKERS = 4;
const SLOTS = 10;
const FAIR_JOB_MS = 5;
const COUNT_OF_B = 10;
const TIMEOUT_MS = 300_000;

/**
 * `tenants` tenants have `count` jobs queued in three pipelines and are being worked on; another one adds 10. How long until the last of them
 * has started.
 */
export function measureCrowdFairness(arena: Arena, count: number, tenants: number): Promise<number> {
  return onGround(arena, 1, async (_, sender, [worker]) => {
    await sender.ask({ do: 'bulk', count, owner: 'a', spread: { tenants, pipelines: [0, 1, 2] } });
    await worker?.ask({ do: 'work', concurrency: SLOTS, jobMs: FAIR_JOB_MS });
    await untilCalls([worker], 200);
    await pause(500);
    const sentAt = wallMs();
    await sender.ask({ do: 'bulk', count: COUNT_OF_B, owner: 'b' });
    for (;;) {
      const counts = await worker?.counts();
      if (counts && counts.callsOfB >= COUNT_OF_B) return counts.lastOfBAt - sentAt;
      if (wallMs() - sentAt > TIMEOUT_MS) return TIMEOUT_MS;
      await pause(10);
    }
  });
}

/**
 * Four workers, one of which has seen nothing but short runs. Long ones of another pipeline then come, `waves` for each slot: the time
 * until all are done against the time that equal shares would take.
 */
export function measureLongRuns(arena: Arena, jobMs: number, waves: number): Promise<number> {
  return onGround(arena, WORKERS, async (ground, sender, workers) => {
    const [first, ...others] = workers;
    await first?.ask({ do: 'work', concurrency: SLOTS, jobMs: 0 });
    await sender.ask({ do: 'bulk', count: 5_000, owner: 'a' });
    await untilCalls([first], 5_000);
    for (const other of others) await other.ask({ do: 'work', concurrency: SLOTS, jobMs: 0 });
    for (const worker of workers) await worker.ask({ do: 'pace', jobMs });
    await pause(1_000);
    const count = WORKERS * SLOTS * waves;
    const startedAt = wallMs();
    await sender.ask({ do: 'bulk', count, owner: 'a', spread: { tenants: count, pipelines: [1] } });
    await untilCalls(workers, 5_000 + count);
    await untilDone(ground);
    return (wallMs() - startedAt) / (jobMs * waves);
  });
}

/** Drains `count` runs of 200 tenants, 10,000 at a time. Runs per second of the last fifth; with a reader, one snapshot is open from the start. */
export function measureHorizon(arena: Arena, count: number, hasReader: boolean): Promise<number> {
  return onGround(arena, 1, async (ground, sender, [worker]) => {
    await worker?.ask({ do: 'work', concurrency: SLOTS, jobMs: 0 });
    if (hasReader) {
      await ground.admin.query('begin isolation level repeatable read');
      await ground.admin.query('select count(*) from engine.runs');
    }
    let lastFifthAt = 0;
    for (let done = 0; done < count; done += 10_000) {
      if (lastFifthAt === 0 && done >= count * 0.8) lastFifthAt = wallMs();
      await sender.ask({ do: 'bulk', count: 10_000, owner: 'a', spread: { tenants: 200, pipelines: [0] } });
      await untilCalls([worker], done + 10_000);
    }
    const perSecond = (count * 0.2 * 1000) / (wallMs() - lastFifthAt);
    if (hasReader) await ground.admin.query('rollback');
    return perSecond;
  });
}

async function onGround<T>(
  arena: Arena,
  workerCount: number,
  measure: (ground: Ground, sender: Program, workers: readonly Program[]) => Promise<T>,
): Promise<T> {
  const ground = { ...(await arena.ground('millrace')), pipelines: PIPELINES };
  const programs: Program[] = [];
  try {
    for (let number = 0; number <= workerCount; number += 1) programs.push(await Program.start('millrace', ground));
    const [sender, ...workers] = programs as [Program, ...Program[]];
    return await measure(ground, sender, workers);
  } finally {
    await Promise.all(programs.map((program) => program.stop()));
    await ground.drop();
  }
}

async function untilCalls(workers: readonly (Program | undefined)[], count: number): Promise<void> {
  const deadline = wallMs() + TIMEOUT_MS;
  for (;;) {
    const counts = await Promise.all(workers.map((worker) => worker?.counts()));
    const calls = counts.reduce((sum, each) => sum + (each?.calls ?? 0), 0);
    if (calls >= count) return;
    if (wallMs() > deadline) throw new Error(`${calls} of ${count} jobs were started`);
    await pause(5);
  }
}

async function untilDone(ground: Ground): Promise<void> {
  const deadline = wallMs() + TIMEOUT_MS;
  for (;;) {
    const { rows } = await ground.admin.query<{ done: boolean }>(
      'select not exists (select from engine.ready) and not exists (select from engine.leases) as done',
    );
    if (rows[0]?.done) return;
    if (wallMs() > deadline) throw new Error('the runs did not end');
    await pause(20);
  }
}

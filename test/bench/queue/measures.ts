// The measurements, each for one contender on ground of its own.
import { setTimeout as pause } from 'node:timers/promises';
import { type Arena, type Ground, nothingLeft } from './arena.ts';
import { wallMs } from './contender.ts';
import { tenants } from './millrace.ts';
import type { ContenderName } from './orders.ts';
import { Program } from './program.ts';

export interface Drain {
  readonly enqueuedPerSecond: number;
  readonly drainedPerSecond: number;
}

const DRAIN_TIMEOUT_MS = 300_000;
const FAIR_JOB_MS = 5;
const FAIR_COUNT_OF_B = 10;
const FAIR_TIMEOUT_MS = 60_000;

/** Queues `count` jobs on ground of their own, then drains them with `processes` workers. */
export async function measureDrain(
  arena: Arena,
  name: ContenderName,
  count: number,
  processes: number,
): Promise<Drain> {
  const ground = await arena.ground(name);
  try {
    return await drainOn(ground, name, count, processes);
  } finally {
    await ground.drop();
  }
}

/** The same on ground that may have a past. From the first job's start until nothing is left. */
export async function drainOn(ground: Ground, name: ContenderName, count: number, processes: number): Promise<Drain> {
  const enqueuer = await Program.start(name, ground);
  const workers: Program[] = [];
  try {
    const before = name === 'millrace' ? await talliesOf(ground) : undefined;
    const { ms } = await enqueuer.ask({ do: 'bulk', count, owner: 'a' });
    // What an earlier drain left behind has been cleared away, as autovacuum would have; otherwise only the full ledger would have any.
    await ground.admin.query('vacuum analyze');
    await ground.admin.query('checkpoint');
    for (let number = 0; number < processes; number += 1) workers.push(await Program.start(name, ground));
    await Promise.all(workers.map((worker) => worker.ask({ do: 'work', concurrency: 10, jobMs: 0 })));
    const { firstAt, endedAt } = await untilDrained(ground, name, workers, count);
    if (before) await proveDrained(ground, before, count);
    return { enqueuedPerSecond: (count / ms) * 1000, drainedPerSecond: (count / (endedAt - firstAt)) * 1000 };
  } finally {
    await Promise.all([...workers, enqueuer].map((program) => program.stop()));
  }
}

/** Brings the tables of a contender into being. */
export async function settle(ground: Ground, name: ContenderName): Promise<void> {
  await (await Program.start(name, ground)).stop();
}

async function untilDrained(ground: Ground, name: ContenderName, workers: readonly Program[], count: number) {
  const deadline = wallMs() + DRAIN_TIMEOUT_MS;
  for (;;) {
    const counts = await Promise.all(workers.map((worker) => worker.counts()));
    const calls = counts.reduce((sum, each) => sum + each.calls, 0);
    if (calls >= count && (await isDrained(ground, name))) {
      if (calls !== count) throw new Error(`${name}: ${calls} handler calls for ${count} jobs`);
      const firstAt = Math.min(...counts.filter((each) => each.calls > 0).map((each) => each.firstAt));
      return { firstAt, endedAt: wallMs() };
    }
    if (wallMs() > deadline) throw new Error(`${name} did not drain: ${calls} of ${count}`);
    // Asking too often would itself be load; 5 ms is a quarter percent of the shortest drain.
    await pause(5);
  }
}

async function isDrained(ground: Ground, name: ContenderName): Promise<boolean> {
  const text = nothingLeft[name];
  if (text === undefined) return true;
  const { rows } = await ground.admin.query<{ done: boolean }>(text);
  return rows[0]?.done ?? false;
}

/** What was drained must be there: every run done, with one attempt and one positioned event. */
async function proveDrained(ground: Ground, before: Tallies, count: number): Promise<void> {
  const deadline = wallMs() + 30_000;
  for (;;) {
    const after = await talliesOf(ground);
    const added = Object.fromEntries(
      Object.entries(after).map(([name, now]) => [name, now - before[name as keyof Tallies]]),
    );
    if (Object.values(added).every((number) => number === count)) return;
    // The last events get their positions a moment after the last run is done.
    if (wallMs() > deadline) throw new Error(`after the drain of ${count}: ${JSON.stringify(added)}`);
    await pause(100);
  }
}

interface Tallies {
  readonly done: number;
  readonly attempts: number;
  readonly events: number;
  readonly positions: number;
}

async function talliesOf(ground: Ground): Promise<Tallies> {
  const { rows } = await ground.admin.query<Tallies>(
    `select (select count(*)::int from engine.runs where phase = 'done' and attempt = 1) as done,
            (select count(*)::int from engine.attempts where outcome = 'complete') as attempts,
            (select count(*)::int from engine.events where type = 'run.done') as events,
            (select count(*)::int from engine.event_positions) as positions`,
  );
  return rows[0] as Tallies;
}

/** Jobs per second submitted one by one, each awaited; and with 50 under way at a time. */
export async function measureEnqueue(arena: Arena, name: ContenderName, count: number) {
  const ground = await arena.ground(name);
  const program = await Program.start(name, ground);
  try {
    await program.ask({ do: 'single', count: Math.ceil(count / 20), width: 1 });
    const single = await program.ask({ do: 'single', count: Math.ceil(count / 4), width: 1 });
    const crowd = await program.ask({ do: 'single', count, width: 50 });
    return { single: (Math.ceil(count / 4) / single.ms) * 1000, crowd: (count / crowd.ms) * 1000 };
  } finally {
    await program.stop();
    await ground.drop();
  }
}

/** From submitting a job to its handler's start in another, idle process. */
export async function measureIdle(arena: Arena, name: ContenderName, count: number): Promise<readonly number[]> {
  const ground = await arena.ground(name);
  const sender = await Program.start(name, ground);
  const worker = await Program.start(name, ground);
  try {
    await worker.ask({ do: 'work', concurrency: 1, jobMs: 0 });
    await pause(300);
    for (let number = 1; number <= count; number += 1) {
      await sender.ask({ do: 'send', owner: 'a' });
      const deadline = wallMs() + 10_000;
      while ((await worker.counts()).calls < number && wallMs() < deadline) await pause(2);
      // Long enough to be idle again, and never in step with anybody's polling.
      await pause(10 + Math.random() * 30);
    }
    // The first ones pay for connections and plans.
    return (await worker.counts()).latenciesMs.slice(Math.min(5, count / 2));
  } finally {
    await Promise.all([sender.stop(), worker.stop()]);
    await ground.drop();
  }
}

/** A has `count` jobs queued and is being worked on; B adds 10. How long until the last of B's has started. */
export async function measureFairness(arena: Arena, name: ContenderName, count: number): Promise<number> {
  const ground = await arena.ground(name);
  const sender = await Program.start(name, ground);
  const worker = await Program.start(name, ground);
  try {
    await sender.ask({ do: 'bulk', count, owner: 'a' });
    await worker.ask({ do: 'work', concurrency: 10, jobMs: FAIR_JOB_MS });
    while ((await worker.counts()).calls < 100) await pause(10);
    await pause(500);
    const sentAt = wallMs();
    await sender.ask({ do: 'bulk', count: FAIR_COUNT_OF_B, owner: 'b' });
    for (;;) {
      const { callsOfB, lastOfBAt } = await worker.counts();
      if (callsOfB >= FAIR_COUNT_OF_B) return lastOfBAt - sentAt;
      if (wallMs() - sentAt > FAIR_TIMEOUT_MS) return FAIR_TIMEOUT_MS;
      await pause(10);
    }
  } finally {
    await Promise.all([sender.stop(), worker.stop()]);
    await ground.drop();
  }
}

export type Past = 'finished' | 'future' | 'failed';

/** Fills the ledger as if `count` runs had gone before, or were planned for next year. */
export async function fillLedger(ground: Ground, count: number, past: Past): Promise<void> {
  const { admin } = ground;
  const ended = past !== 'future';
  const state = { finished: ['completed', 'done'], failed: ['failed', 'failed'], future: ['queued', 'waiting'] }[past];
  await admin.query(`set synchronous_commit = off`);
  await admin.query(
    `insert into engine.runs (id, tenant_id, pipeline, status, phase, lane, input, receipt, attempt, error_code, error_text,
                              created_at, started_at, finished_at)
     select uuidv7(-interval '1 day'), $1::uuid, 'noop', $2::text, $3::text, $1::uuid::text, '{"past": true}', case when $3::text = 'done' then '{"read": 0}'::jsonb end,
            case when $5::boolean then 1 else 0 end, case when $3::text = 'failed' then 'stage_failed' end, case when $3::text = 'failed' then 'It failed.' end,
            engine.now() - interval '1 day', engine.now() - interval '1 day', case when $5::boolean then engine.now() - interval '1 day' end
     from generate_series(1, $4::int)`,
    [tenants.a, state[0], state[1], count, ended],
  );
  if (past === 'future') {
    await admin.query(
      `insert into engine.scheduled (run_id, pipeline, lane, priority, available_at)
       select id, pipeline, lane, priority, engine.now() + interval '1 year' from engine.runs`,
    );
  } else {
    await admin.query(
      `insert into engine.attempts (run_id, attempt, tenant_id, stage, worker_id, outcome, queued_at, started_at)
       select id, 1, tenant_id, 'work', gen_random_uuid(), case phase when 'done' then 'complete' else 'failed' end, created_at, started_at
       from engine.runs`,
    );
    await admin.query(
      `with told as (
         insert into engine.events (tenant_id, run_id, type, data)
         select tenant_id, id, 'run.' || phase, '{}' from engine.runs returning event_id
       )
       insert into engine.event_positions (event_id) select event_id from told`,
    );
    if (past === 'failed') {
      await admin.query(
        `insert into engine.flagged_runs (tenant_id, run_id, pipeline, status, phase, finished_at)
         select tenant_id, id, pipeline, status, phase, finished_at from engine.runs`,
      );
    }
  }
  await admin.query('vacuum analyze');
}

/** The same for pg-boss: jobs that were completed yesterday and are kept. */
export async function fillPgBoss(ground: Ground, count: number): Promise<void> {
  await ground.admin.query(
    `insert into pgboss.job (name, data, state, completed_on, started_on)
     select 'noop', '{}', 'completed', now(), now() from generate_series(1, $1::int)`,
    [count],
  );
  await ground.admin.query('vacuum analyze');
}

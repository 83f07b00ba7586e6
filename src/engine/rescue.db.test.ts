import { afterEach, describe, expect, it } from 'vitest';
import { setClockOffset, useDatabase } from '../../test/support/database.ts';
import { buildEngine, buildPipeline, newTenant } from '../../test/support/engine.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { createPool } from '../platform/database.ts';
import { uuidv7 } from '../platform/ids.ts';
import { silentLog } from '../platform/log.ts';
import { Claimer } from './claimer.ts';
import { rescueLostRuns } from './services/rescuer.ts';
import { SOLO_FROM_LOSSES } from './settings.ts';
import { registerWorker } from './sql/workers.ts';

const database = useDatabase();
type TestEngine = Awaited<ReturnType<typeof buildEngine>>;
const engines: TestEngine[] = [];

afterEach(async () => {
  await setClockOffset(database.admin, '0');
  await Promise.all(engines.splice(0).map((engine) => engine.close()));
  await database.admin.query('truncate engine.runs, engine.ready, engine.leases, engine.scheduled, engine.workers');
});

async function openEngine(
  work = async () => 'complete',
  more: Parameters<typeof buildPipeline>[2] = {},
): Promise<TestEngine> {
  const engine = await buildEngine(database.appUrl, [buildPipeline('plain', work, more)]);
  engines.push(engine);
  return engine;
}

async function newWorker(engine: TestEngine): Promise<string> {
  const workerId = uuidv7();
  const worker = { workerId, name: 'w', pid: 1, host: 'h', version: 'v', pipelines: ['plain'], concurrency: 1 };
  await registerWorker(engine.pools.control, worker, 60_000);
  return workerId;
}

/** Claims the run as a worker that then falls silent. */
async function loseOnce(engine: TestEngine, runId: string): Promise<void> {
  const workerId = await newWorker(engine);
  await new Claimer(engine.pools.control, engine.registry).claimById(workerId, runId);
  await database.admin.query('update engine.leases set began = true where run_id = $1', [runId]);
  await database.admin.query(
    `update engine.workers set expires_at = engine.now() - interval '1 second' where worker_id = $1`,
    [workerId],
  );
  await rescueLostRuns(engine.pools.control, silentLog);
}

async function placeOf(runId: string) {
  const { rows } = await database.admin.query<{ solo: boolean }>('select solo from engine.ready where run_id = $1', [
    runId,
  ]);
  return rows[0];
}

describe('a run that lost its worker', () => {
  it('goes back to the queue with its attempt counted, and is worked on alone after three losses', async () => {
    const engine = await openEngine();
    const tenantId = newTenant();
    const { id } = await engine.enqueue({ pipeline: 'plain', tenantId, input: {} });
    for (let losses = 1; losses <= SOLO_FROM_LOSSES; losses += 1) {
      await loseOnce(engine, id);
      expect(await engine.run(tenantId, id)).toMatchObject({
        phase: 'waiting',
        attempt: losses,
        failures: { 'lost:work': losses },
      });
      expect(await placeOf(id)).toEqual({ solo: losses >= SOLO_FROM_LOSSES });
    }
  });

  it('ends as worker_lost after five losses, so that a poison file cannot loop', async () => {
    const engine = await openEngine();
    const tenantId = newTenant();
    const { id } = await engine.enqueue({ pipeline: 'plain', tenantId, input: {} });
    for (let losses = 1; losses <= 5; losses += 1) await loseOnce(engine, id);
    expect(await engine.run(tenantId, id)).toMatchObject({ phase: 'failed', error_code: 'worker_lost', attempt: 5 });
  });

  it('fails at once where the pipeline says so', async () => {
    const engine = await openEngine(async () => 'complete', { onLost: 'fail' });
    const tenantId = newTenant();
    const { id } = await engine.enqueue({ pipeline: 'plain', tenantId, input: {} });
    await loseOnce(engine, id);
    expect(await engine.run(tenantId, id)).toMatchObject({ phase: 'failed', error_code: 'worker_lost', attempt: 1 });
  });

  it('stays suspect when it is held and resumed, or released', async () => {
    const engine = await openEngine();
    const tenantId = newTenant();
    const { id } = await engine.enqueue({ pipeline: 'plain', tenantId, input: {} });
    for (let losses = 1; losses <= SOLO_FROM_LOSSES; losses += 1) await loseOnce(engine, id);
    await engine.hold({ tenantId, by: 'tester' }, id);
    await engine.resume({ tenantId, by: 'tester' }, id);
    expect(await placeOf(id)).toEqual({ solo: true });
  });

  it('is left alone while its worker is alive, however long it takes', async () => {
    const engine = await openEngine();
    const tenantId = newTenant();
    const { id } = await engine.enqueue({ pipeline: 'plain', tenantId, input: {} });
    const workerId = await newWorker(engine);
    await new Claimer(engine.pools.control, engine.registry).claim(workerId, 1);
    await setClockOffset(database.admin, '30 seconds');
    expect(await rescueLostRuns(engine.pools.control, silentLog)).toBe(0);
    expect(await engine.run(tenantId, id)).toMatchObject({ phase: 'active' });
  });

  it('is taken back by one of ten rescuers at once', async () => {
    const engine = await openEngine();
    const tenantId = newTenant();
    const { id } = await engine.enqueue({ pipeline: 'plain', tenantId, input: {} });
    const workerId = await newWorker(engine);
    await new Claimer(engine.pools.control, engine.registry).claim(workerId, 1);
    await database.admin.query('update engine.leases set began = true');
    await setClockOffset(database.admin, '2 minutes');
    const rescued = await Promise.all(
      Array.from({ length: 10 }, () => rescueLostRuns(engine.pools.control, silentLog)),
    );
    expect(rescued.reduce((sum, count) => sum + count, 0)).toBe(1);
    expect(await engine.run(tenantId, id)).toMatchObject({ phase: 'waiting', failures: { 'lost:work': 1 } });
  });

  it('ends as cancelled when somebody had asked for that', async () => {
    const engine = await openEngine();
    const tenantId = newTenant();
    const { id } = await engine.enqueue({ pipeline: 'plain', tenantId, input: {} });
    const workerId = await newWorker(engine);
    await new Claimer(engine.pools.control, engine.registry).claim(workerId, 1);
    await database.admin.query(
      `update engine.runs set cancel_requested_at = engine.now(), cancel_requested_by = 'tester' where id = $1`,
      [id],
    );
    await setClockOffset(database.admin, '2 minutes');
    await rescueLostRuns(engine.pools.control, silentLog);
    expect(await engine.run(tenantId, id)).toMatchObject({ phase: 'failed', error_code: 'run_cancelled' });
  });
});

describe('lost runs', () => {
  afterEach(() => database.admin.query('drop trigger if exists refuse on engine.attempts'));

  async function loseTogether(engine: TestEngine, count: number): Promise<string[]> {
    const tenantId = newTenant();
    const runs = await engine.enqueueMany(
      Array.from({ length: count }, () => ({ pipeline: 'plain', tenantId, input: {} })),
    );
    const workerId = await newWorker(engine);
    await new Claimer(engine.pools.control, engine.registry).claim(workerId, count);
    await database.admin.query('update engine.workers set ended_at = engine.now() where worker_id = $1', [workerId]);
    return runs.map(({ id }) => id);
  }

  const stillLeased = async () =>
    (await database.admin.query<{ run_id: string }>('select run_id from engine.leases')).rows.map((row) => row.run_id);

  it('are taken back beside one whose end the database refuses; it is taken back when it may be', async () => {
    const engine = await openEngine();
    const [refused = '', ...others] = await loseTogether(engine, 4);
    await database.admin.query(`
      create or replace function refuse_attempt() returns trigger language plpgsql as $$ begin raise exception 'refused for good'; end $$;
      create trigger refuse before insert on engine.attempts for each row when (new.run_id = '${refused}') execute function refuse_attempt()`);
    expect(await rescueLostRuns(engine.pools.control, silentLog)).toBe(others.length);
    expect(await stillLeased()).toEqual([refused]);
    await database.admin.query('drop trigger refuse on engine.attempts');
    expect(await rescueLostRuns(engine.pools.control, silentLog)).toBe(1);
    expect(await stillLeased()).toEqual([]);
  });

  it('are taken back beside one whose row in the ledger somebody has locked', async () => {
    const engine = await openEngine();
    const [locked = '', ...others] = await loseTogether(engine, 4);
    const holder = await database.admin.connect();
    const impatient = createPool({
      ...{ url: database.appUrl, role: 'millrace_engine', max: 2, applicationName: 'impatient' },
      ...{ connectTimeoutMs: 60_000, statementTimeoutMs: 3_000 },
    });
    try {
      await holder.query('begin');
      await holder.query('select from engine.runs where id = $1 for update', [locked]);
      expect(await rescueLostRuns(impatient, silentLog)).toBe(others.length);
      expect(await stillLeased()).toEqual([locked]);
    } finally {
      holder.release(true);
      await impatient.end();
    }
    expect(await rescueLostRuns(engine.pools.control, silentLog)).toBe(1);
  });
});

describe('a worker that empties itself for a suspect', () => {
  it('works the suspect alone and goes on with the innocent afterwards', async () => {
    let running = 0;
    let together = 0;
    const suspects = new Set<string>();
    const engine = await openEngine();
    const tenantId = newTenant();
    const innocent = buildPipeline('crowd', async ({ run }) => {
      running += 1;
      if ((suspects.has(run.id) && running > 1) || [...suspects].some((id) => active.has(id) && id !== run.id))
        together += 1;
      active.add(run.id);
      await new Promise((resolve) => setTimeout(resolve, 20));
      active.delete(run.id);
      running -= 1;
      return 'complete';
    });
    const active = new Set<string>();
    const worker = await buildEngine(database.appUrl, [innocent], { settings: { leaseMs: 800, heartbeatMs: 100 } });
    engines.push(worker);
    const runs = await worker.enqueueMany(
      Array.from({ length: 60 }, () => ({ pipeline: 'crowd', tenantId, input: {} })),
    );
    const suspect = runs[30]?.id ?? '';
    suspects.add(suspect);
    await engine.pools.control.query('update engine.ready set solo = true where run_id = $1', [suspect]);
    await worker.start();
    for (const { id } of runs)
      await waitFor(async () => (await worker.run(tenantId, id)).phase === 'done', {
        what: `${id} to be done`,
      });
    expect(together).toBe(0);
  });
});

describe('a worker that a long run keeps from getting empty', () => {
  it('serves others while a suspect waits, and works it alone as soon as it is empty', async () => {
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    let running = 0;
    const beside: number[] = [];
    const pipeline = buildPipeline('long_and_short', async ({ input }) => {
      running += 1;
      if (input.isSuspect === true) beside.push(running - 1);
      if (input.isLong === true) await gate;
      running -= 1;
      return 'complete';
    });
    const engine = await buildEngine(database.appUrl, [pipeline], {
      settings: { leaseMs: 800, heartbeatMs: 100, concurrency: 2 },
    });
    engines.push(engine);
    const enqueue = (input: Record<string, unknown>) =>
      engine.enqueue({ pipeline: 'long_and_short', tenantId: newTenant(), input });
    const phaseOf = async (id: string) =>
      (await database.admin.query<{ phase: string }>('select phase from engine.runs where id = $1', [id])).rows[0]
        ?.phase;
    const isDone = (id: string) => waitFor(async () => (await phaseOf(id)) === 'done', { what: 'the run to end' });
    await engine.start({ worker: true });
    await enqueue({ isLong: true });
    await waitFor(() => running === 1, { what: 'the long run to begin' });
    await engine.pause('long_and_short', 'tester');
    const suspect = await enqueue({ isSuspect: true });
    await database.admin.query('update engine.ready set solo = true where run_id = $1', [suspect.id]);
    await engine.unpause('long_and_short');
    // One after the other, over several times of emptying.
    for (let number = 0; number < 4; number += 1) await isDone((await enqueue({ number })).id);
    expect([await phaseOf(suspect.id), beside]).toEqual(['waiting', []]);
    open();
    await isDone(suspect.id);
    expect(beside).toEqual([0]);
  });
});

describe('a worker that is asked to stop', () => {
  it('gives back what it has not begun and charges nobody', async () => {
    let release = () => {};
    const begun: string[] = [];
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const pipeline = buildPipeline('turning_slow', async ({ run, input }) => {
      if (input.isSlow === true) {
        begun.push(run.id);
        await held;
      }
      return 'complete';
    });
    const engine = await buildEngine(database.appUrl, [pipeline], { settings: { concurrency: 2, drainMs: 5_000 } });
    engines.push(engine);
    const tenantId = newTenant();
    const enqueue = (count: number, isSlow: boolean) =>
      engine.enqueueMany(
        Array.from({ length: count }, () => ({ pipeline: 'turning_slow', tenantId, input: { isSlow } })),
      );
    await engine.start();
    // Only runs of a stage that was short so far are claimed ahead.
    const quick = await enqueue(20, false);
    await waitFor(async () => {
      const found = await Promise.all(quick.map(({ id }) => engine.run(tenantId, id)));
      return found.every(({ phase }) => phase === 'done');
    });
    const runs = await enqueue(20, true);
    const leases = async () => (await database.admin.query('select from engine.leases')).rowCount ?? 0;
    await waitFor(async () => begun.length === 2 && (await leases()) > 2, { what: 'more to be held than can begin' });
    const stopped = engine.stop();
    release();
    await stopped;
    for (const { id } of runs) {
      const run = await engine.run(tenantId, id);
      expect(run).toMatchObject(begun.includes(id) ? { phase: 'done' } : { phase: 'waiting', failures: {} });
    }
    expect(await leases()).toBe(0);
  });
});

// Whose leases are taken back, and who is charged with the loss.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { useDatabase } from '../../test/support/database.ts';
import { buildEngine, buildPipeline, newTenant } from '../../test/support/engine.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { uuidv7 } from '../platform/ids.ts';
import { silentLog } from '../platform/log.ts';
import { Claimer } from './claimer.ts';
import { rescueLostRuns } from './services/rescuer.ts';
import { registerWorker } from './sql/workers.ts';

const database = useDatabase();
const tenantId = newTenant();
const engines: Awaited<ReturnType<typeof buildEngine>>[] = [];

beforeEach(async () => {
  await database.admin.query(
    'truncate engine.runs, engine.ready, engine.leases, engine.scheduled, engine.workers, engine.checkpoints',
  );
});
afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()));
});

async function open(options: Parameters<typeof buildPipeline>[2] = {}) {
  const engine = await buildEngine(database.appUrl, [buildPipeline('plain', async () => 'complete', options)]);
  engines.push(engine);
  return engine;
}

type TestEngine = Awaited<ReturnType<typeof open>>;

/** A run claimed by a worker of its own. */
async function claimed(engine: TestEngine) {
  const { id } = await engine.enqueue({ pipeline: 'plain', tenantId, input: {} });
  return { id, workerId: await claimAgain(engine, id) };
}

async function claimAgain(engine: TestEngine, id: string) {
  const workerId = uuidv7();
  const worker = { workerId, name: 'w', pid: 1, host: 'h', version: 'v', pipelines: ['plain'], concurrency: 1 };
  await registerWorker(engine.pools.control, worker, 60_000);
  await new Claimer(engine.pools.control, engine.registry).claimById(workerId, id);
  return workerId;
}

const silence = (workerId: string) =>
  database.admin.query(
    `update engine.workers set expires_at = engine.now() - interval '1 second' where worker_id = $1`,
    [workerId],
  );
const rescue = (engine: TestEngine) => rescueLostRuns(engine.pools.control, silentLog);

describe('a lease is taken back from', () => {
  it.each([
    ['a worker that has gone silent', silence],
    [
      'a worker that stopped cleanly before its claim was committed',
      (workerId: string) =>
        database.admin.query(
          `update engine.workers set ended_at = engine.now(), end_reason = 'stopped' where worker_id = $1`,
          [workerId],
        ),
    ],
    [
      'a worker that nobody knows',
      (workerId: string) => database.admin.query('delete from engine.workers where worker_id = $1', [workerId]),
    ],
  ])('%s, and from no other', async (_, goAway) => {
    const engine = await open();
    const { id, workerId } = await claimed(engine);
    const other = await claimed(engine);
    await goAway(workerId);
    expect(await rescue(engine)).toBe(1);
    expect(await engine.run(tenantId, id)).toMatchObject({ phase: 'waiting' });
    expect(await engine.run(tenantId, other.id)).toMatchObject({ phase: 'active' });
  });
});

describe('a loss', () => {
  it('is not charged to a run that is not known to have begun; its next beginning is written down before it begins', async () => {
    const engine = await open({ lostLimit: 2 });
    const { id, workerId } = await claimed(engine);
    await silence(workerId);
    await rescue(engine);
    expect(await engine.run(tenantId, id)).toMatchObject({ phase: 'waiting', failures: { 'unbegun:work': 1 } });
    let began: unknown;
    const looking = await buildEngine(database.appUrl, [
      buildPipeline('plain', async ({ run }) => {
        const { rows } = await database.admin.query('select began from engine.leases where run_id = $1', [run.id]);
        began = rows[0]?.began;
        return 'complete';
      }),
    ]);
    engines.push(looking);
    await looking.start({ worker: true });
    await waitFor(() => began !== undefined);
    expect(began).toBe(true);
  });

  it('is charged to a run that has been at work for a moment', async () => {
    const engine = await open();
    let free = () => {};
    const busy = await buildEngine(database.appUrl, [
      buildPipeline(
        'plain',
        () =>
          new Promise<string>((resolve) => {
            free = () => resolve('complete');
          }),
      ),
    ]);
    engines.push(busy);
    const { id } = await engine.enqueue({ pipeline: 'plain', tenantId, input: {} });
    await busy.start({ worker: true });
    const began = await waitFor(
      async () =>
        (await database.admin.query('select began from engine.leases where run_id = $1', [id])).rows[0]?.began,
      { what: 'the beginning to be written down' },
    );
    expect(began).toBe(true);
    free();
  });

  it('is charged from the last commit on', async () => {
    const engine = await open({ lostLimit: 3 });
    const { id, workerId } = await claimed(engine);
    await database.admin.query(
      `update engine.runs set failures = '{"lost:work": 2, "transient:work": 1}' where id = $1`,
      [id],
    );
    await database.admin.query(
      `insert into engine.checkpoints (run_id, stage, attempt, state, commits) values ($1, 'work', 1, '{}', 1)`,
      [id],
    );
    await silence(workerId);
    await rescue(engine);
    expect(await engine.run(tenantId, id)).toMatchObject({
      phase: 'waiting',
      failures: { 'lost:work': 1, 'transient:work': 1 },
    });
    // No commit in this attempt: it counts on.
    const second = await claimAgain(engine, id);
    await database.admin.query('update engine.leases set began = true where run_id = $1', [id]);
    await silence(second);
    await rescue(engine);
    expect(await engine.run(tenantId, id)).toMatchObject({ phase: 'waiting', failures: { 'lost:work': 2 } });
  });
});

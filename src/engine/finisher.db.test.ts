// What becomes of ends when the database does not answer, answers to nobody, or refuses.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useDatabase } from '../../test/support/database.ts';
import { buildEngine, buildPipeline, newTenant } from '../../test/support/engine.ts';
import { gate } from '../../test/support/shared-run.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { type Pool, withTransaction } from '../platform/database.ts';
import { uuidv7 } from '../platform/ids.ts';
import { silentLog } from '../platform/log.ts';
import { Claimer } from './claimer.ts';
import { plainEnd } from './failure.ts';
import { type Ending, Finisher } from './finisher.ts';
import { endAttempts } from './sql/end-attempts.ts';
import { lockLease } from './sql/fence.ts';
import { registerWorker } from './sql/workers.ts';
import { stageRunOf } from './stage-run.ts';

const database = useDatabase();
const tenantId = newTenant();
const workerId = uuidv7();
let engine: Awaited<ReturnType<typeof buildEngine>>;

beforeAll(async () => {
  engine = await buildEngine(database.appUrl, [buildPipeline('plain', async () => 'complete')]);
  const worker = { workerId, name: 'w', pid: 1, host: 'h', version: 'v', pipelines: ['plain'], concurrency: 1 };
  await registerWorker(engine.pools.control, worker, 600_000);
});
afterAll(() => engine.close());

async function endings(count: number, isPlain: boolean): Promise<Ending[]> {
  await engine.enqueueMany(Array.from({ length: count }, () => ({ pipeline: 'plain', tenantId, input: {} })));
  const rows = await new Claimer(engine.pools.control, engine.registry).claim(workerId, count);
  return rows.map((row) => ({
    ...{ run: stageRunOf(row, 'work'), events: [], via: [], isPlain },
    end: { ...plainEnd(stageRunOf(row, 'work'), 'complete', 'complete'), receipt: '{"read": 0}' },
  }));
}

/** The engine's own pool, on which the first `times` statements come to the given end. */
function troubledPool(times: number, trouble: (statement: () => Promise<unknown>) => Promise<unknown>): Pool {
  const pool = engine.pools.control;
  let left = times;
  const query = (...args: [never]) => {
    const statement = () => pool.query(...args);
    left -= 1;
    return left >= 0 ? trouble(statement) : statement();
  };
  return Object.create(pool, { query: { value: query } }) as Pool;
}

async function write(pool: Pool, batch: readonly Ending[]): Promise<{ lost: string[]; refusals: number }> {
  const heard = { lost: [] as string[], refusals: 0 };
  const finisher = new Finisher({
    pool,
    log: { ...silentLog, error: () => heard.refusals++ },
    onWritten: (_, lost) => heard.lost.push(...lost.map(({ run }) => run.id)),
  });
  for (const ending of batch) finisher.add(ending);
  await finisher.flush();
  return heard;
}

const statusesOf = (batch: readonly Ending[]) =>
  Promise.all(batch.map(async ({ run }) => (await engine.run(tenantId, run.id)).status));
const connectionReset = () => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' });
const signInRefused = () =>
  Object.assign(new Error('password authentication failed'), { code: '28P01', severity: 'FATAL' });

describe.each([
  ['alike', true],
  ['of any kind', false],
])('ends %s', (_, isPlain) => {
  it('whose answer was cut off are not called lost: they were written', async () => {
    const batch = await endings(3, isPlain);
    const unheard = troubledPool(1, async (statement) => {
      await statement();
      throw connectionReset();
    });
    expect(await write(unheard, batch)).toEqual({ lost: [], refusals: 0 });
    expect(await statusesOf(batch)).toEqual(['completed', 'completed', 'completed']);
  });

  it('that were taken over while the database was away are called lost, and only those', async () => {
    const batch = await endings(3, isPlain);
    const [taken] = batch as [Ending];
    const away = troubledPool(1, async () => {
      await endAttempts(engine.pools.control, [plainEnd(taken.run, 'release', 'lost')]);
      throw connectionReset();
    });
    expect(await write(away, batch)).toEqual({ lost: [taken.run.id], refusals: 0 });
    expect(await statusesOf(batch)).toEqual(['queued', 'completed', 'completed']);
  });

  it('wait while the database refuses the sign-in: what was done is not called failed for it', async () => {
    const batch = await endings(2, isPlain);
    const closed = troubledPool(3, async () => {
      throw signInRefused();
    });
    expect(await write(closed, batch)).toEqual({ lost: [], refusals: 0 });
    expect(await statusesOf(batch)).toEqual(['completed', 'completed']);
  });
});

it('an end whose lease is locked for a moment is tried again: commits that stand are not called lost, and nothing is done twice', async () => {
  const [plain] = (await endings(1, false)) as [Ending];
  const ending = { ...plain, end: { ...plain.end, commits: '{"": 1}' } };
  await database.admin.query(
    `insert into engine.checkpoints (run_id, stage, attempt, commits) values ($1, 'work', 1, 1)`,
    [ending.run.id],
  );
  const passedBy = troubledPool(1, (statement) =>
    // As the statement does that marks leases as begun.
    withTransaction(engine.pools.effects, async (tx) => {
      await tx.query('select from engine.leases where run_id = $1 for update', [ending.run.id]);
      return statement();
    }),
  );
  expect(await write(passedBy, [ending])).toEqual({ lost: [], refusals: 0 });
  expect(await statusesOf([ending])).toEqual(['completed']);
});

it('an end beside one that the database refuses is written once and not called lost', async () => {
  const [good, bad] = (await endings(2, false)) as [Ending, Ending];
  const unbalanced = { ...bad, via: [], end: { ...bad.end, receipt: '{"read": 5}' } };
  expect(await write(engine.pools.control, [good, unbalanced])).toEqual({ lost: [], refusals: 1 });
  expect(await statusesOf([good, bad])).toEqual(['completed', 'failed']);
});

it('an end that is refused, and its failing too, is tried again in growing pauses until it is written', async () => {
  const batch = await endings(1, false);
  await database.admin.query('revoke insert on engine.attempts from millrace_engine');
  const since = performance.now();
  let tries = 0;
  const counting = troubledPool(Number.POSITIVE_INFINITY, (statement) => {
    tries += 1;
    return statement();
  });
  const written = write(counting, batch);
  await waitFor(async () => tries >= 4 || undefined, { what: 'four tries' });
  // Two at once, then after 50 and 100 ms.
  expect(performance.now() - since).toBeGreaterThan(140);
  await database.admin.query('grant insert on engine.attempts to millrace_engine');
  expect((await written).lost).toEqual([]);
  expect(await statusesOf(batch)).toEqual(['failed']);
});

it('an end that cannot be written in any way holds up no other: those that come later are written while it waits', async () => {
  const [poison, ...others] = (await endings(3, false)) as [Ending, ...Ending[]];
  let refuses = true;
  let refusals = 0;
  const { control } = engine.pools;
  const query = async (config: { values?: unknown[] }) => {
    if (refuses && String(config.values?.[0]).includes(poison.run.id))
      throw Object.assign(new Error('refused for good'), { code: '22000' });
    return control.query(config as never);
  };
  const lost: string[] = [];
  const finisher = new Finisher({
    pool: Object.create(control, { query: { value: query } }) as Pool,
    log: { ...silentLog, error: () => refusals++ },
    onWritten: (_, missing) => lost.push(...missing.map(({ run }) => run.id)),
  });
  finisher.add(poison);
  await waitFor(() => refusals >= 2, { what: 'the end and its failing to be refused' });
  for (const ending of others) finisher.add(ending);
  await waitFor(async () => (await statusesOf(others)).every((status) => status === 'completed'), {
    what: 'the others to be written',
  });
  expect(await statusesOf([poison])).toEqual(['working']);
  refuses = false;
  await finisher.flush();
  expect(await statusesOf([poison])).toEqual(['failed']);
  expect(lost).toEqual([]);
});

it('an end whose own effects transaction is still open has it stopped, and is written', async () => {
  const [locked, other] = (await endings(2, false)) as [Ending, Ending];
  const effects = await engine.pools.effects.connect();
  try {
    await effects.query('begin');
    await lockLease(effects, locked.run);
    // Not for ever: an end that nobody makes way for waits until then, and the test fails instead of standing.
    const answer = effects.query('select pg_sleep(60)').then(
      () => 'slept',
      (error: { code?: string }) => error.code,
    );
    expect(await write(engine.pools.control, [locked, other])).toEqual({ lost: [], refusals: 0 });
    expect(await statusesOf([locked, other])).toEqual(['completed', 'completed']);
    expect(await answer).toBe('57014');
  } finally {
    effects.release(true);
  }
});

describe('several writers', () => {
  it('each count: the end that has waited longest for the database is the one that is told of, and others are written meanwhile', async () => {
    const batch = await endings(3, false);
    const gates = [gate(), gate()];
    let turn = 0;
    const pool = troubledPool(gates.length, async (statement) => {
      await gates[turn++]?.opened;
      return statement();
    });
    const written: string[] = [];
    const finisher = new Finisher({
      ...{ pool, log: silentLog },
      onWritten: (done) => written.push(...done.map(({ run }) => run.id)),
    });
    const [one, two, three] = batch as [Ending, Ending, Ending];
    expect(finisher.busySince).toBeUndefined();
    finisher.add(one);
    const first = await waitFor(() => finisher.busySince, { what: 'the first writer' });
    finisher.add(two);
    await waitFor(() => turn === 2, { what: 'the second writer' });
    finisher.add(three);
    await waitFor(() => written.includes(three.run.id), { what: 'the third end, past the other two' });
    expect(finisher.busySince).toBe(first);
    expect(written).toHaveLength(1);
    gates[0]?.open();
    await waitFor(() => written.includes(one.run.id), { what: 'the first end' });
    const second = finisher.busySince ?? 0;
    expect(second).toBeGreaterThan(first);
    expect(written).toHaveLength(2);
    gates[1]?.open();
    await finisher.flush();
    expect(finisher.busySince).toBeUndefined();
    expect(written).toHaveLength(3);
  });
});

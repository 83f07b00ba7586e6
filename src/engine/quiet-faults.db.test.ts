// Rules whose breach makes no noise: the run ends, the receipt adds up, and something was done twice, too late or for nobody.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addressOf, type ChaosProxy, openProxy } from '../../test/chaos/proxy.ts';
import { randomFrom } from '../../test/chaos/random.ts';
import { setClockOffset, useDatabase } from '../../test/support/database.ts';
import { buildEngine, buildPipeline, endOfRun, newTenant } from '../../test/support/engine.ts';
import { type Queryable, withTransaction } from '../platform/database.ts';
import { uuidv7 } from '../platform/ids.ts';
import { silentLog } from '../platform/log.ts';
import { Claimer } from './claimer.ts';
import { consumeOnce } from './consumer.ts';
import { pumpEvents } from './services/outbox-pump.ts';
import { defaultRetention, pruneOnce } from './services/pruner.ts';
import { rescueLostRuns } from './services/rescuer.ts';
import { fireDueSchedules } from './services/scheduler.ts';
import { claimCappedLane } from './sql/claim-runs.ts';
import { type FeedRow, positionEvents, readFeed } from './sql/event-feed.ts';
import { endWorker, registerWorker } from './sql/workers.ts';
import type { StageContext } from './stage-context.ts';

const database = useDatabase();
type TestEngine = Awaited<ReturnType<typeof buildEngine>>;
const engines: TestEngine[] = [];
let tenantId: string;
let proxy: ChaosProxy;

beforeAll(async () => {
  proxy = await openProxy(addressOf(database.appUrl), randomFrom(1));
  await database.admin.query(`
    create schema quiet;
    grant usage on schema quiet to millrace_app;
    create table quiet.rows (run_id uuid not null, part int not null);
    grant insert on quiet.rows to millrace_app`);
});
beforeEach(() => {
  tenantId = newTenant();
});
afterEach(async () => {
  await setClockOffset(database.admin, '0');
  await Promise.all(engines.splice(0).map((engine) => engine.close()));
  await database.admin.query('truncate engine.runs, engine.ready, engine.leases, engine.workers, engine.consumers');
});
afterAll(() => proxy.close());

async function openEngine(
  work: (context: StageContext) => Promise<string> = async () => 'complete',
  url = database.appUrl,
): Promise<TestEngine> {
  const engine = await buildEngine(url, [buildPipeline('quiet', work)]);
  engines.push(engine);
  return engine;
}

const addRow = (tx: Queryable, runId: string, part: number) =>
  tx.query('insert into quiet.rows (run_id, part) values ($1, $2)', [runId, part]);

function ended(engine: TestEngine, id: string) {
  return endOfRun(engine, tenantId, id);
}

async function pumpAll(engine: TestEngine): Promise<void> {
  while ((await pumpEvents(engine.pools.control)) !== 0);
}

const emit = (engine: TestEngine, key: string) =>
  engine.emit([{ tenantId, runId: null, type: 'quiet.happened', key, data: '{}' }]);

async function feedKeys(engine: TestEngine): Promise<string[]> {
  const rows = await readFeed(engine.pools.control, 0, 10_000);
  return rows.filter((row) => row.tenant_id === tenantId).map((row) => row.key);
}

describe('a run whose acceptance was never heard of', () => {
  it.each([1, 3, 2_501])('is asked for again under its own id: %i stay as many', async (count) => {
    const engine = await openEngine(undefined, proxy.urlOf(database.appUrl));
    const requests = Array.from({ length: count }, (_, n) => ({ pipeline: 'quiet', tenantId, input: { n } }));
    // More than one chunk is one transaction, whose COMMIT it is then.
    proxy.setWeather({ loseAnswer: count > 2_500 ? { commit: 1, other: 0 } : { other: 1 } }, 1);
    const before = proxy.struck.loseAnswer;
    const answers = await engine.enqueueMany(requests);
    expect(proxy.struck.loseAnswer).toBe(before + 1);
    const { rows } = await database.admin.query<{ id: string }>(
      `select id from engine.runs where tenant_id = $1 order by (input ->> 'n')::int`,
      [tenantId],
    );
    expect(rows.map((row) => row.id)).toEqual(answers.map((answer) => answer.id));
    expect(answers.every((answer) => answer.created)).toBe(true);
  });
});

describe('effects whose COMMIT lost its connection', () => {
  it.each([
    ['after the server had done it are not repeated', 'loseAnswer', []],
    ['while the server was still at it are not repeated', 'cutBefore', []],
    // Said by the attempt itself: had it believed in the commit, the next one would have found out and said commits_lost.
    ['on its way to the server are repeated', 'loseRequest', ['database_lost']],
  ] as const)('%s: each is there once', async (_, fault, errors) => {
    const engine = await openEngine(async ({ run, commit, checkpoint }) => {
      const from = (await checkpoint<{ next: number }>())?.next ?? 1;
      for (let part = from; part <= 3; part += 1) {
        if (part === 2 && run.attempt === 1) proxy.setWeather({ [fault]: { commit: 1, other: 0 } }, 1);
        await commit((tx) => addRow(tx, run.id, part), { checkpoint: { next: part + 1 } });
      }
      return 'complete';
    }, proxy.urlOf(database.appUrl));
    // Only the stage's own commits pass the proxy.
    const services = await openEngine();
    await services.start({ services: true });
    const before = proxy.struck.commits;
    const { id } = await services.enqueue({ pipeline: 'quiet', tenantId, input: {} });
    await engine.start({ worker: true });
    expect(await ended(services, id)).toMatchObject({ phase: 'done', attempt: errors.length + 1 });
    expect(proxy.struck.commits).toBe(before + 1);
    const attempts = await database.admin.query<{ error_code: string | null }>(
      'select error_code from engine.attempts where run_id = $1 order by attempt',
      [id],
    );
    expect(attempts.rows.map((each) => each.error_code)).toEqual([...errors, null]);
    const { rows } = await database.admin.query<{ part: number }>(
      'select part from quiet.rows where run_id = $1 order by part',
      [id],
    );
    expect(rows.map((row) => row.part)).toEqual([1, 2, 3]);
  });
});

describe('a cancellation that the worker was not told of', () => {
  it('is seen by the fence: the next commit writes nothing and the run ends as cancelled', async () => {
    const engine = await openEngine(async ({ run, commit }) => {
      await commit((tx) => addRow(tx, run.id, 1));
      // As if the notification was lost.
      await database.admin.query(
        `update engine.runs set cancel_requested_at = engine.now(), cancel_requested_by = 'somebody' where id = $1`,
        [run.id],
      );
      await commit((tx) => addRow(tx, run.id, 2));
      return 'complete';
    });
    const { id } = await engine.enqueue({ pipeline: 'quiet', tenantId, input: {} });
    await engine.start();
    expect(await ended(engine, id)).toMatchObject({ phase: 'failed', error_code: 'run_cancelled' });
    const { rows } = await database.admin.query('select part from quiet.rows where run_id = $1', [id]);
    expect(rows).toEqual([{ part: 1 }]);
  });
});

describe('a cancellation during the last commit', () => {
  it('cancels the run, although its stage goes on to its end', async () => {
    const engine = await openEngine(async ({ run, commit, signal }) => {
      const stopped = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      await commit(async () => {
        expect(await engine.cancel({ tenantId, by: 'somebody' }, run.id)).toBe('requested');
      });
      await stopped;
      return 'complete';
    });
    const { id } = await engine.enqueue({ pipeline: 'quiet', tenantId, input: {} });
    await engine.start();
    expect(await ended(engine, id)).toMatchObject({ phase: 'failed', error_code: 'run_cancelled' });
  });
});

describe('events that a consumer has not read', () => {
  it('outlive their time until it has read them, however old they are', async () => {
    const engine = await openEngine();
    for (const key of ['a', 'b']) await emit(engine, key);
    await pumpAll(engine);
    const slow = { name: 'slow', pool: engine.pools.effects, log: silentLog, everyMs: 10, apply: async () => {} };
    await database.admin.query(
      `insert into engine.consumers (consumer, position) values ('slow', 0), ('quick', 1000000)`,
    );
    await setClockOffset(database.admin, '31 days');
    while (await pruneOnce(engine.pools.control, { ...defaultRetention, eventsDays: 30 }));
    expect(await feedKeys(engine)).toEqual(['a', 'b']);
    while ((await consumeOnce(slow)) > 0);
    while (await pruneOnce(engine.pools.control, { ...defaultRetention, eventsDays: 30 }));
    // The last one read may stay: the consumer's offset stands on it.
    expect(await feedKeys(engine)).not.toContain('a');
  });
});

describe('a worker that still holds a run', () => {
  it('is not called ended, so that its run is taken back', async () => {
    const engine = await openEngine();
    const worker = { name: 'w', pid: 1, host: 'h', version: 'v', pipelines: ['quiet'], concurrency: 1 };
    const [holder, idle] = [uuidv7(), uuidv7()];
    for (const workerId of [holder, idle]) await registerWorker(engine.pools.control, { ...worker, workerId }, 60_000);
    await engine.enqueue({ pipeline: 'quiet', tenantId, input: {} });
    expect(await new Claimer(engine.pools.control, engine.registry).claim(holder, 1)).toHaveLength(1);
    for (const workerId of [holder, idle]) await endWorker(engine.pools.control, workerId);
    const { rows } = await database.admin.query<{ worker_id: string }>(
      'select worker_id from engine.workers where ended_at is null',
    );
    expect(rows).toEqual([{ worker_id: holder }]);
  });
});

describe('a run', () => {
  it.each([
    ['that nobody knows', `delete from engine.workers where worker_id = $1`],
    [
      'that has ended',
      `update engine.workers set ended_at = engine.now(), end_reason = 'stopped' where worker_id = $1`,
    ],
  ])('is taken back from a worker %s', async (_, how) => {
    const engine = await openEngine();
    const workerId = uuidv7();
    const worker = { workerId, name: 'w', pid: 1, host: 'h', version: 'v', pipelines: ['quiet'], concurrency: 1 };
    await registerWorker(engine.pools.control, worker, 60_000);
    const { id } = await engine.enqueue({ pipeline: 'quiet', tenantId, input: {} });
    expect(await new Claimer(engine.pools.control, engine.registry).claim(workerId, 1)).toHaveLength(1);
    await database.admin.query(how, [workerId]);
    expect(await rescueLostRuns(engine.pools.control, silentLog)).toBe(1);
    expect(await engine.run(tenantId, id)).toMatchObject({ phase: 'waiting' });
  });
});

describe('items that were refused in a transaction that was rolled back', () => {
  it('are refused once when it is repeated, beside those that were refused before it', async () => {
    const refusal = (line: number) => ({ line, code: 'bad', message: 'bad', item: { line } });
    let tries = 0;
    const engine = await openEngine(async ({ run, commit, reject }) => {
      reject(refusal(1));
      const write = async (tx: Queryable) => {
        reject(refusal(2));
        tries += 1;
        await addRow(tx, run.id, tries);
        if (tries === 1) throw new Error('the first try fails');
      };
      await commit(write).catch(() => {});
      await commit(write);
      await commit((tx) => addRow(tx, run.id, 9));
      return 'complete';
    });
    const { id } = await engine.enqueue({ pipeline: 'quiet', tenantId, input: {} });
    await engine.start();
    expect(await ended(engine, id)).toMatchObject({ phase: 'done' });
    const { rows } = await database.admin.query<{ line: number }>(
      'select line::int from engine.rejects where run_id = $1 order by line',
      [id],
    );
    expect(rows.map((row) => row.line)).toEqual([1, 2]);
  });
});

describe('items that were refused after its last commit', () => {
  it('are written down when the stage ends', async () => {
    const engine = await openEngine(async ({ reject }) => {
      reject({ code: 'bad', message: 'bad', item: {} });
      return 'complete';
    });
    const { id } = await engine.enqueue({ pipeline: 'quiet', tenantId, input: {} });
    await engine.start();
    await ended(engine, id);
    const { rows } = await database.admin.query('select code from engine.rejects where run_id = $1', [id]);
    expect(rows).toEqual([{ code: 'bad' }]);
  });
});

describe('parts of a stage', () => {
  it('have checkpoints of their own, and the stage itself another', async () => {
    const seen: unknown[] = [];
    const engine = await openEngine(async ({ commit, checkpoint }) => {
      for (const part of ['a', 'b', '']) await commit(async () => {}, { checkpoint: { of: part }, part });
      for (const part of ['', 'a', 'b', 'c']) seen.push(await checkpoint(part));
      return 'complete';
    });
    const { id } = await engine.enqueue({ pipeline: 'quiet', tenantId, input: {} });
    await engine.start();
    await ended(engine, id);
    expect(seen).toEqual([{ of: '' }, { of: 'a' }, { of: 'b' }, undefined]);
  });
});

describe('an ended run with open rejects', () => {
  it('outlives its time for as long as they do', async () => {
    const engine = await openEngine(async ({ reject }) => {
      reject({ code: 'bad', message: 'bad', item: {} });
      return 'complete';
    });
    const { id } = await engine.enqueue({ pipeline: 'quiet', tenantId, input: {} });
    await engine.start();
    await ended(engine, id);
    await engine.stop();
    await setClockOffset(database.admin, '40 days');
    const prune = async (openRejectsDays: number) => {
      while (await pruneOnce(engine.pools.control, { ...defaultRetention, openRejectsDays }));
      return (await database.admin.query('select from engine.rejects where run_id = $1', [id])).rowCount;
    };
    expect(await prune(0)).toBe(1);
    expect(await engine.findRun(id)).toBeDefined();
    expect(await prune(30)).toBe(0);
  });
});

describe('a claim', () => {
  const worker = { name: 'w', pid: 1, host: 'h', version: 'v', pipelines: ['quiet'], concurrency: 1 };

  it('takes what comes first by priority, however late it was submitted', async () => {
    const engine = await openEngine();
    const workerId = uuidv7();
    await registerWorker(engine.pools.control, { ...worker, workerId }, 60_000);
    for (const priority of [0, 5, -3, 2])
      await engine.enqueue({ pipeline: 'quiet', tenantId, priority, input: { priority } });
    const claimer = new Claimer(engine.pools.control, engine.registry);
    const order: unknown[] = [];
    for (let n = 0; n < 4; n += 1) order.push(...(await claimer.claim(workerId, 1)).map((row) => row.input));
    expect(order).toEqual([-3, 0, 2, 5].map((priority) => ({ priority })));
  });

  it('counts a lane again under its lock: one that filled up since it was looked at is left alone', async () => {
    const engine = await buildEngine(database.appUrl, [
      buildPipeline('capped', async () => 'complete', { laneCap: 1 }),
    ]);
    engines.push(engine);
    const workerId = uuidv7();
    await registerWorker(engine.pools.control, { ...worker, workerId }, 60_000);
    await engine.enqueueMany([1, 2].map(() => ({ pipeline: 'capped', tenantId, input: {} })));
    const by = { workerId, capped: ['capped'], announced: [] };
    const lane = { pipeline: 'capped', lane: tenantId, cap: 1, count: 1 };
    const claimTwice = withTransaction(engine.pools.control, async (tx) => [
      (await claimCappedLane(tx, by, lane)).length,
      (await claimCappedLane(tx, by, lane)).length,
    ]);
    expect(await claimTwice).toEqual([1, 0]);
  });

  it('leaves a paused lane alone and serves the others', async () => {
    const engine = await openEngine();
    const workerId = uuidv7();
    await registerWorker(engine.pools.control, { ...worker, workerId }, 60_000);
    const other = newTenant();
    for (const tenant of [tenantId, other]) await engine.enqueue({ pipeline: 'quiet', tenantId: tenant, input: {} });
    await engine.pause('quiet', 'somebody', tenantId);
    const claimer = new Claimer(engine.pools.control, engine.registry);
    expect((await claimer.claim(workerId, 5)).map((row) => row.tenant_id)).toEqual([other]);
    await engine.unpause('quiet', tenantId);
    expect((await claimer.claim(workerId, 5)).map((row) => row.tenant_id)).toEqual([tenantId]);
  });
});

describe('a schedule', () => {
  it('makes one run of one moment, even when its next time is put back', async () => {
    const engine = await openEngine();
    await engine.saveSchedule({ tenantId, name: 'daily', pipeline: 'quiet', cron: '0 0 * * *' });
    for (let round = 0; round < 2; round += 1) {
      await database.admin.query(`update engine.schedules set next_at = '2026-01-01Z' where tenant_id = $1`, [
        tenantId,
      ]);
      await fireDueSchedules(engine.pools.control, engine.registry, silentLog);
    }
    const { rows } = await database.admin.query('select from engine.runs where tenant_id = $1', [tenantId]);
    expect(rows).toHaveLength(1);
  });
});

describe('a consumer', () => {
  const consumer = (engine: TestEngine, apply: (keys: string[]) => Promise<void>) => ({
    ...{ name: `consumer-${tenantId}`, pool: engine.pools.effects, log: silentLog, everyMs: 10 },
    apply: (_: Queryable, events: readonly FeedRow[]) =>
      apply(events.filter((event) => event.tenant_id === tenantId).map((event) => event.key)),
  });

  it('that could do nothing with its events is given them again', async () => {
    const engine = await openEngine();
    await emit(engine, 'a');
    await pumpAll(engine);
    const seen: string[][] = [];
    const failing = consumer(engine, async (keys) => {
      seen.push(keys);
      if (seen.length === 1) throw new Error('not now');
    });
    await expect(consumeOnce(failing)).rejects.toThrow('not now');
    await consumeOnce(failing);
    expect(seen).toEqual([['a'], ['a']]);
  });

  it('that waits for a lock of others is stopped by its limit, and applies its events when the way is free', async () => {
    const engine = await openEngine();
    await emit(engine, 'a');
    await pumpAll(engine);
    await database.admin.query('create table if not exists public.heard (key text primary key)');
    await database.admin.query('grant insert, select on public.heard to millrace_engine');
    const writing = {
      ...consumer(engine, async () => {}),
      statementMs: 3_000,
      apply: async (tx: Queryable, events: readonly FeedRow[]) => {
        const ours = events.filter((event) => event.tenant_id === tenantId);
        for (const { key } of ours) await tx.query('insert into public.heard values ($1)', [key]);
      },
    };
    const holder = await database.admin.connect();
    try {
      await holder.query('begin; lock table public.heard in access exclusive mode');
      await expect(consumeOnce(writing)).rejects.toMatchObject({ code: 'statement_cancelled' });
    } finally {
      holder.release(true);
    }
    while ((await consumeOnce(writing)) > 0);
    expect((await database.admin.query('select key from public.heard')).rows).toEqual([{ key: 'a' }]);
  });

  it('is at work in one process at a time', async () => {
    const engine = await openEngine();
    await emit(engine, 'a');
    await pumpAll(engine);
    const second = consumer(engine, async () => {
      throw new Error('two at a time');
    });
    const first = consumer(engine, async () => {
      expect(await consumeOnce(second)).toBe(0);
    });
    // Known before: its row must not be what keeps the second one away.
    await database.admin.query('insert into engine.consumers (consumer) values ($1)', [first.name]);
    expect(await consumeOnce(first)).toBeGreaterThan(0);
  });
});

describe('the outbox pump', () => {
  it('gives no place to an event while another process is about to give earlier ones', async () => {
    const engine = await openEngine();
    await pumpAll(engine);
    await emit(engine, 'first');
    await withTransaction(engine.pools.control, async (tx) => {
      expect(await positionEvents(tx, 100)).toBe(1);
      await emit(engine, 'second');
      // A reader that saw the second one now would go on behind it and never see the first.
      await pumpEvents(engine.pools.control);
      expect(await feedKeys(engine)).toEqual([]);
    });
    await pumpAll(engine);
    expect(await feedKeys(engine)).toEqual(['first', 'second']);
  });
});

// The engine behind a real PgBouncer in transaction mode: the same promises, few server connections, and only two past the pooler.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { useDatabase } from '../../test/support/database.ts';
import { buildPipeline, newTenant, smallTimings } from '../../test/support/engine.ts';
import { hasPgBouncer, type PgBouncer, startPgBouncer } from '../../test/support/pgbouncer.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { silentLog } from '../platform/log.ts';
import { createEngine, type Engine } from './engine.ts';
import { createEnginePools, type EnginePools } from './engine-pools.ts';
import type { AnyPipeline } from './pipeline.ts';

const db = useDatabase();

describe.skipIf(!hasPgBouncer())('the engine behind PgBouncer', () => {
  let pgbouncer: PgBouncer;
  const opened: { engine: Engine; pools: EnginePools }[] = [];

  beforeAll(async () => {
    await db.admin.query('create table public.effects (run_id uuid, step int, role text)');
    await db.admin.query('grant all on public.effects to millrace_app');
    // Far more than one process may take: what it takes is its own restraint.
    pgbouncer = await startPgBouncer(db.appUrl, [db.appUrl], { poolSize: 40 });
  });
  afterEach(async () => {
    for (const { engine, pools } of opened.splice(0)) {
      await engine.stop();
      await pools.close();
    }
  });
  afterAll(() => pgbouncer?.stop());

  async function open(pipelines: readonly AnyPipeline[], settings = {}): Promise<Engine> {
    const pools = createEnginePools({
      url: pgbouncer.through(db.appUrl),
      directUrl: db.appUrl,
      pooler: 'transaction',
      controlSize: 3,
      effectsSize: 4,
      connectTimeoutMs: 5_000,
      leaseMs: 3_000,
      log: silentLog,
    });
    const engine = createEngine({
      pools,
      pipelines,
      settings: { ...smallTimings, ...settings },
      log: silentLog,
      version: 't',
    });
    opened.push({ engine, pools });
    await engine.register();
    return engine;
  }

  const phases = async (pipeline: string) =>
    (
      await db.admin.query('select phase, count(*)::int as runs from engine.runs where pipeline = $1 group by 1', [
        pipeline,
      ])
    ).rows;

  it('works runs in several lanes to their ends, with effects as the role of the stage, each once', async () => {
    const pipeline = buildPipeline(
      'pooled',
      async (context) => {
        for (let step = Number((await context.checkpoint<{ step: number }>())?.step ?? 0); step < 3; step += 1)
          await context.commit(
            (tx) => tx.query(`insert into public.effects values ($1, $2, current_user)`, [context.run.id, step]),
            { checkpoint: { step: step + 1 }, emit: [{ type: 'stepped', key: String(step), data: {} }] },
          );
        return 'complete';
      },
      { laneCap: 2 },
    );
    const heard: string[] = [];
    const engine = await open([pipeline], { concurrency: 8 });
    engine.consume({
      name: 'pooled',
      apply: async (_tx, events) => void heard.push(...events.map(({ type }) => type)),
    });
    await engine.start();
    const lanes = Array.from({ length: 5 }, newTenant);
    await engine.enqueueMany(
      Array.from({ length: 30 }, (_, number) => ({
        pipeline: 'pooled',
        tenantId: lanes[number % lanes.length] as string,
        input: {},
      })),
    );
    await waitFor(async () => (await phases('pooled')).every(({ phase }) => phase === 'done'), {
      what: 'all runs to be done',
    });
    const { rows } = await db.admin.query(
      'select count(*)::int as all, count(distinct (run_id, step))::int as once, min(role) as role from public.effects',
    );
    expect(rows).toEqual([{ all: 90, once: 90, role: 'millrace_app' }]);
    await waitFor(() => heard.filter((type) => type === 'stepped').length === 90, {
      what: 'every event to be consumed',
    });
  });

  it('opens at most eight server connections through the pooler and two past it', async () => {
    const pipeline = buildPipeline('crowd', async (context) => {
      await context.commit((tx) => tx.query('select pg_sleep(0.05)'), { checkpoint: {} });
      return 'complete';
    });
    const engine = await open([pipeline], { concurrency: 16 });
    await engine.start();
    let most = { pooled: 0, direct: 0 };
    const look = async () => {
      const { rows } = await db.admin.query<{ pooled: number; direct: number }>(
        `select count(*) filter (where application_name = 'millrace')::int as pooled,
                count(*) filter (where application_name = 'millrace engine')::int as direct
           from pg_stat_activity where datname = current_database()`,
      );
      most = {
        pooled: Math.max(most.pooled, rows[0]?.pooled ?? 0),
        direct: Math.max(most.direct, rows[0]?.direct ?? 0),
      };
    };
    await engine.enqueueMany(
      Array.from({ length: 60 }, () => ({ pipeline: 'crowd', tenantId: newTenant(), input: {} })),
    );
    await waitFor(
      async () => {
        await look();
        return (await phases('crowd')).every(({ phase }) => phase === 'done');
      },
      { everyMs: 5, what: 'all runs to be done' },
    );
    expect(most.pooled).toBeGreaterThan(1);
    expect(most.pooled).toBeLessThanOrEqual(8);
    expect(most.direct).toBe(2);
  });

  it('goes on by itself when the pooler is restarted under it', async () => {
    const pipeline = buildPipeline(
      'restarted',
      async (context) => {
        await context.commit((tx) => tx.query('select pg_sleep(0.02)'), { checkpoint: {} });
        return 'complete';
      },
      { retry: { transient: { max: 50, backoff: { baseMs: 50, factor: 1, maxMs: 50, jitter: 0 } } } },
    );
    const engine = await open([pipeline], { concurrency: 4 });
    await engine.start();
    await engine.enqueueMany(
      Array.from({ length: 100 }, () => ({ pipeline: 'restarted', tenantId: newTenant(), input: {} })),
    );
    await waitFor(async () => (await phases('restarted')).some(({ phase }) => phase === 'done'), {
      what: 'a first end',
    });
    await pgbouncer.restart();
    await waitFor(async () => (await phases('restarted')).every(({ phase }) => phase === 'done'), {
      what: 'all runs to be done',
    });
    expect(await phases('restarted')).toEqual([{ phase: 'done', runs: 100 }]);
  });
});

// More work at a time than connections: everybody waits in turn, and nobody pays for it.
import { afterEach, describe, expect, it } from 'vitest';
import { useDatabase } from '../../test/support/database.ts';
import { buildPipeline, newTenant, smallTimings } from '../../test/support/engine.ts';
import { enginePoolUrls } from '../../test/support/pgbouncer.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import { silentLog } from '../platform/log.ts';
import { createEngine, type Engine } from './engine.ts';
import { createEnginePools, type EnginePools } from './engine-pools.ts';
import type { AnyPipeline } from './pipeline.ts';

const db = useDatabase();
let pools: EnginePools;
let engine: Engine;

afterEach(async () => {
  await engine.stop();
  await pools.close();
});

async function work(pipeline: AnyPipeline, runs: number): Promise<void> {
  pools = createEnginePools({
    ...enginePoolUrls(db.appUrl),
    controlSize: 3,
    effectsSize: 1,
    // Far shorter than the wait for the only connection.
    connectTimeoutMs: 3_000,
    leaseMs: 3_000,
    log: silentLog,
  });
  const settings = { ...smallTimings, concurrency: 8 };
  engine = createEngine({ pools, pipelines: [pipeline], settings, log: silentLog, version: 'test' });
  await engine.register();
  await engine.start();
  await engine.enqueueMany(
    Array.from({ length: runs }, () => ({ pipeline: pipeline.name, tenantId: newTenant(), input: {} })),
  );
  await waitFor(async () => (await ends(pipeline.name)).every(({ phase }) => phase === 'done'), {
    what: 'all runs to be done',
  });
}

async function ends(pipeline: string) {
  const { rows } = await db.admin.query<{ phase: string; failures: object }>(
    'select phase, failures from engine.runs where pipeline = $1',
    [pipeline],
  );
  return rows;
}

const strict = { transient: { max: 0, backoff: { baseMs: 1, factor: 1, maxMs: 1, jitter: 0 } } };

describe('runs that wait for a connection', () => {
  it('all get one in turn, however long the others take, without a failure', async () => {
    const pipeline = buildPipeline(
      'crowded',
      async (context) => {
        await context.commit((tx) => tx.query('select pg_sleep(0.8)'), { checkpoint: {} });
        return 'complete';
      },
      { retry: strict },
    );
    await work(pipeline, 8);
    expect(await ends('crowded')).toEqual(Array.from({ length: 8 }, () => ({ phase: 'done', failures: {} })));
  });

  it('and are told that there is none go back, at no cost, and come again', async () => {
    let refused = 0;
    const pipeline = buildPipeline(
      'refused',
      async () => {
        refused += 1;
        if (refused <= 3) throw new MillraceError('pool_exhausted', { seconds: 2 });
        return 'complete';
      },
      { retry: strict },
    );
    await work(pipeline, 1);
    expect(await ends('refused')).toEqual([{ phase: 'done', failures: {} }]);
    expect(refused).toBe(4);
  });
});

// The library as a program uses it: transactions of its own, keys, schedules, events, and a clean end.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useDatabase } from '../../test/support/database.ts';
import { buildPipeline, newTenant, smallTimings } from '../../test/support/engine.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { createMillrace, type Millrace } from './create-millrace.ts';

const database = useDatabase();
const applied: string[] = [];
let millrace: Millrace;
let release = () => {};

beforeAll(async () => {
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  millrace = await createMillrace({
    databaseUrl: database.appUrl,
    migrationUrl: database.adminUrl,
    pipelines: [
      buildPipeline('plain', async () => 'complete'),
      buildPipeline('gated', async ({ signal }) => {
        await Promise.race([gate, new Promise((resolve) => signal.addEventListener('abort', resolve))]);
        return 'complete';
      }),
      buildPipeline('idle', async () => 'complete'),
      buildPipeline('parked', async () => 'complete'),
    ],
    prepare: async (admin) => {
      await admin.query('create table orders (note text); grant select, insert on orders to millrace_app');
    },
    settings: smallTimings,
  });
  millrace.consume({
    name: 'test',
    apply: async (_tx, events) => {
      applied.push(...events.map((event) => `${event.run_id} ${event.type}`));
    },
  });
  await millrace.pause('idle', { by: 'test' });
  await millrace.pause('parked');
  await millrace.start();
});

afterAll(async () => {
  release();
  await millrace.stop();
});

it('is refused when more runs at a time are asked for than its connections can carry, and names both settings', async () => {
  const opening = createMillrace({
    databaseUrl: database.appUrl,
    migrationUrl: database.adminUrl,
    pipelines: [],
    poolSize: 4,
    settings: { concurrency: 17 },
  });
  await expect(opening).rejects.toMatchObject({
    code: 'connections_too_few',
    kind: 'config',
    message: expect.stringMatching(/WORKER_CONCURRENCY=17 needs 5 .*DATABASE_POOL_SIZE=4/),
    next: expect.stringContaining('Lower WORKER_CONCURRENCY to 16'),
  });
});

const orders = async () => (await database.admin.query('select note from orders')).rows.map(({ note }) => note);

describe('createMillrace', () => {
  it('a run and the rows of the caller’s own transaction stand or fall together', async () => {
    const tenantId = newTenant();
    const place = (note: string, fail: boolean) =>
      millrace.transaction(async (tx) => {
        await tx.query('insert into orders values ($1)', [note]);
        const [run] = await millrace.enqueueIn(tx, [{ pipeline: 'plain', tenantId, input: { note } }]);
        // The role is put back, so that the caller's own tables can be reached again.
        await tx.query('insert into orders values ($1)', [`${note} again`]);
        if (fail) throw new Error('changed my mind');
        return run?.id ?? '';
      });
    const id = await place('kept', false);
    await expect(place('dropped', true)).rejects.toThrow('changed my mind');
    expect(await orders()).toEqual(['kept', 'kept again']);
    expect((await millrace.runs.wait(id, { timeoutMs: 120_000 })).status).toBe('completed');
    expect(await millrace.runs.list({ tenantId })).toHaveLength(1);
  });

  it('a refused run leaves the caller’s transaction whole, and in its own role', async () => {
    const tenantId = newTenant();
    await millrace.transaction(async (tx) => {
      const refused = millrace.enqueueIn(tx, [{ pipeline: 'plain', tenantId, input: 'no object' }]);
      await expect(refused).rejects.toMatchObject({ code: 'input_invalid' });
      const { rows } = await tx.query(`select current_setting('role') as role, count(*)::int as seen from engine.runs`);
      expect(rows).toEqual([{ role: 'millrace_app', seen: 0 }]);
      await tx.query(`insert into orders values ('after a refusal')`);
    });
    expect(await orders()).toContain('after a refusal');
    const lost = millrace.transaction(async (tx) => {
      await tx.query('select 1 / 0').catch(() => {});
      return millrace.enqueueIn(tx, [{ pipeline: 'plain', tenantId, input: {} }]);
    });
    await expect(lost).rejects.toThrow(/aborted/);
    expect(await millrace.runs.list({ tenantId })).toEqual([]);
  });

  it('takes 10,000 runs in one call and refuses one more', async () => {
    const tenantId = newTenant();
    const requests = Array.from({ length: 10_000 }, () => ({ pipeline: 'parked', tenantId, input: {} }));
    expect(new Set((await millrace.enqueueMany(requests)).map(({ id }) => id)).size).toBe(10_000);
    await expect(
      millrace.enqueueMany([...requests, { pipeline: 'parked', tenantId, input: {} }]),
    ).rejects.toMatchObject({
      code: 'batch_too_large',
    });
  });

  it('a paused pipeline says who paused it and goes on after unpause', async () => {
    const tenantId = newTenant();
    const { id } = await millrace.enqueue({ pipeline: 'idle', tenantId, input: {} });
    expect(await millrace.runs.why(id)).toMatchObject({ reason: 'paused', text: expect.stringContaining('by test') });
    expect(await millrace.runs.wait(id, { timeoutMs: 100 })).toMatchObject({ phase: 'waiting', finished_at: null });
    await millrace.unpause('idle');
    expect((await millrace.runs.wait(id, { timeoutMs: 120_000 })).status).toBe('completed');
  });

  it('a running run can be cancelled, retried, and its history read', async () => {
    const tenantId = newTenant();
    const { id } = await millrace.enqueue({ pipeline: 'gated', tenantId, input: {} });
    await waitFor(async () => (await millrace.runs.get(id)).phase === 'active');
    await millrace.runs.cancel(id, { by: 'ada' });
    const cancelled = await millrace.runs.wait(id, { timeoutMs: 120_000 });
    expect(cancelled).toMatchObject({ phase: 'failed', error_code: 'run_cancelled' });
    expect(await millrace.runs.attempts(id)).toMatchObject([{ attempt: 1, stage: 'work', outcome: 'cancelled' }]);
    const successor = await millrace.runs.retry(id);
    expect(await millrace.runs.retry(id)).toEqual({ id: successor.id, created: false });
    release();
    expect(await millrace.runs.wait(successor.id, { timeoutMs: 120_000 })).toMatchObject({
      retry_of: id,
      phase: 'done',
    });
  });

  it('a consumer is handed the end of a run exactly once', async () => {
    const tenantId = newTenant();
    const { id } = await millrace.enqueue({ pipeline: 'plain', tenantId, input: {} });
    await millrace.runs.wait(id, { timeoutMs: 120_000 });
    await waitFor(() => applied.includes(`${id} run.done`));
    expect(applied.filter((event) => event === `${id} run.done`)).toHaveLength(1);
    expect(await millrace.runs.events(id)).toMatchObject([{ type: 'run.done' }]);
  });

  it('keeps schedules per tenant', async () => {
    const tenantId = newTenant();
    await millrace.schedules.save({ tenantId, name: 'nightly', pipeline: 'plain', cron: '0 3 * * *' });
    expect(await millrace.schedules.list(tenantId)).toMatchObject([{ name: 'nightly', cron: '0 3 * * *' }]);
    expect(await millrace.schedules.remove(tenantId, 'nightly')).toBe(true);
  });

  it('a run nobody knows is named in the refusal', async () => {
    const unknown = newTenant();
    await expect(millrace.runs.get(unknown)).rejects.toMatchObject({ code: 'run_not_found' });
    await expect(millrace.runs.cancel('not an id')).rejects.toMatchObject({ code: 'run_not_found' });
  });
});

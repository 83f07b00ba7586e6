import { afterEach, describe, expect, it } from 'vitest';
import { codeOf } from '../../test/support/code-of.ts';
import { useDatabase } from '../../test/support/database.ts';
import { buildEngine, buildPipeline, newTenant } from '../../test/support/engine.ts';
import { withTransaction } from '../platform/database.ts';
import { uuidv7 } from '../platform/ids.ts';

const database = useDatabase();
type TestEngine = Awaited<ReturnType<typeof buildEngine>>;
const engines: TestEngine[] = [];
const work = async () => 'complete';

async function openEngine(options: Parameters<typeof buildPipeline>[2] = {}): Promise<TestEngine> {
  const engine = await buildEngine(database.appUrl, [buildPipeline('plain', work, options)], { controlSize: 20 });
  engines.push(engine);
  return engine;
}

afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()));
});

async function count(sql: string, values: unknown[]): Promise<number> {
  const { rows } = await database.admin.query<{ n: number }>(`select count(*)::int as n ${sql}`, values);
  return rows[0]?.n ?? -1;
}

describe('enqueue', () => {
  it('makes one run of a unique key, whoever comes first of fifty at once', async () => {
    const engine = await openEngine();
    const tenantId = newTenant();
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => engine.enqueue({ pipeline: 'plain', tenantId, input: {}, uniqueKey: 'june' })),
    );
    expect(new Set(answers.map((answer) => answer.id)).size).toBe(1);
    expect(answers.filter((answer) => answer.created)).toHaveLength(1);
    expect(await count('from engine.runs where tenant_id = $1', [tenantId])).toBe(1);
    expect(
      await count('from engine.ready q join engine.runs r on r.id = q.run_id where r.tenant_id = $1', [tenantId]),
    ).toBe(1);
  });

  it('lets one live run have an active key at a time, and the next one when it has ended', async () => {
    const engine = await openEngine();
    const tenantId = newTenant();
    const ask = () => engine.enqueue({ pipeline: 'plain', tenantId, input: {}, activeKey: 'connector-1' });
    const answers = await Promise.all(Array.from({ length: 30 }, ask));
    const [first] = answers;
    expect(new Set(answers.map((answer) => answer.id)).size).toBe(1);
    await engine.cancel({ tenantId, by: 'tester' }, first?.id ?? '');
    const next = await ask();
    expect(next.created).toBe(true);
    expect(next.id).not.toBe(first?.id);
  });

  it('keeps keys apart by tenant', async () => {
    const engine = await openEngine();
    const answers = await Promise.all(
      [newTenant(), newTenant()].map((tenantId) =>
        engine.enqueue({ pipeline: 'plain', tenantId, input: {}, uniqueKey: 'same' }),
      ),
    );
    expect(answers.every((answer) => answer.created)).toBe(true);
  });

  it('takes 10,000 runs in one call, in the order given, and refuses one more', async () => {
    const engine = await openEngine();
    const tenantId = newTenant();
    const requests = Array.from({ length: 10_000 }, () => ({ id: uuidv7(), pipeline: 'plain', tenantId, input: {} }));
    const answers = await engine.enqueueMany(requests);
    expect(answers.map((answer) => answer.id)).toEqual(requests.map((request) => request.id));
    expect(await count('from engine.runs where tenant_id = $1', [tenantId])).toBe(10_000);
    expect(await codeOf(engine.enqueueMany([...requests, ...requests.slice(0, 1)]))).toBe('batch_too_large');
  });

  it('adds none of ten thousand when the last one is refused, and answers repeated keys among them with one run', async () => {
    const engine = await openEngine();
    const tenantId = newTenant();
    const requests = Array.from({ length: 9_999 }, (_, n) => ({
      pipeline: 'plain',
      tenantId,
      input: { n },
      uniqueKey: `key ${n % 9_000}`,
    }));
    const spoilt = [...requests, { pipeline: 'plain', tenantId, input: {}, uniqueKey: '' }];
    expect(await codeOf(engine.enqueueMany(spoilt))).toBe('input_invalid');
    expect(await count('from engine.runs where tenant_id = $1', [tenantId])).toBe(0);
    const answers = await engine.enqueueMany(requests);
    expect(answers.filter((answer) => answer.created)).toHaveLength(9_000);
    expect(answers[9_998]?.id).toBe(answers[998]?.id);
  });

  it('wakes a sleeping worker of another process with the commit of a single run', async () => {
    const [sender, sleeper] = [await openEngine(), await openEngine()];
    const listener = await sleeper.pools.connect();
    await listener.query('listen millrace_ready');
    const woken = new Promise((resolve) => listener.once('notification', resolve));
    await sender.enqueue({ pipeline: 'plain', tenantId: newTenant(), input: {} });
    await expect(woken).resolves.toMatchObject({ channel: 'millrace_ready' });
    await listener.end();
  });

  it('answers a repeated id with the run that is there', async () => {
    const engine = await openEngine();
    const request = { id: uuidv7(), pipeline: 'plain', tenantId: newTenant(), input: {} };
    expect(await engine.enqueue(request)).toEqual({ id: request.id, created: true });
    expect(await engine.enqueue(request)).toEqual({ id: request.id, created: false });
    expect(await count('from engine.ready where run_id = $1', [request.id])).toBe(1);
  });

  it('stands or falls with the transaction of its caller', async () => {
    const engine = await openEngine();
    const tenantId = newTenant();
    const request = { pipeline: 'plain', tenantId, input: {} };
    const failed = withTransaction(engine.pools.control, async (tx) => {
      await engine.enqueueIn(tx, [request]);
      throw new Error('the caller changed its mind');
    });
    await expect(failed).rejects.toThrow('changed its mind');
    expect(await count('from engine.runs where tenant_id = $1', [tenantId])).toBe(0);
    await withTransaction(engine.pools.control, (tx) => engine.enqueueIn(tx, [request]));
    expect(await count('from engine.runs where tenant_id = $1', [tenantId])).toBe(1);
  });

  it('refuses an unknown pipeline, a bad input, a big one and an empty key, each with its own code, and keeps nothing', async () => {
    const engine = await openEngine({ maxInputBytes: 100 });
    const tenantId = newTenant();
    const request = { pipeline: 'plain', tenantId, input: {} };
    expect(await codeOf(engine.enqueue({ ...request, pipeline: 'nowhere' }))).toBe('pipeline_unknown');
    expect(await codeOf(engine.enqueue({ ...request, input: 'text' }))).toBe('input_invalid');
    expect(await codeOf(engine.enqueue({ ...request, input: { a: 'x'.repeat(200) } }))).toBe('input_too_large');
    const large = engine.enqueue({ ...request, input: { a: 'x'.repeat(200) } });
    await expect(large).rejects.toMatchObject({
      message: expect.stringMatching(/plain.*\b208\b.*\b100\b/),
      next: expect.stringMatching(/\S/),
    });
    expect(await codeOf(engine.enqueue({ ...request, uniqueKey: '' }))).toBe('input_invalid');
    expect(await count('from engine.runs where tenant_id = $1', [tenantId])).toBe(0);
  });

  it.each([
    ['a NUL in its input', { input: { a: '\u0000' } }],
    ['half a character in its input', { input: { a: '\ud800' } }],
    ['an input that is no JSON', { input: { a: 1n } }],
    ['a NUL in its key', { uniqueKey: 'a\u0000' }],
    ['a tenant that is no id', { tenantId: 'x' }],
    ['a priority that is no number', { priority: Number.NaN }],
    ['a priority beyond all', { priority: 1e20 }],
    ['no time', { availableAt: new Date(Number.NaN) }],
    ['a time beyond all', { availableAt: new Date(8.64e15) }],
  ])('refuses a run with %s, by its code', async (_, wrong) => {
    const engine = await openEngine();
    const request = { pipeline: 'plain', tenantId: newTenant(), input: {}, ...wrong };
    expect(await codeOf(engine.enqueue(request))).toBe('input_invalid');
    expect(await codeOf(engine.enqueueMany([request, { ...request, ...wrong }]))).toBe('input_invalid');
  });

  it('plans what is due later and says so', async () => {
    const engine = await openEngine();
    const tenantId = newTenant();
    const availableAt = new Date(Date.now() + 3_600_000);
    const { id } = await engine.enqueue({ pipeline: 'plain', tenantId, input: {}, availableAt });
    expect(await count('from engine.ready where run_id = $1', [id])).toBe(0);
    expect(await count('from engine.scheduled where run_id = $1', [id])).toBe(1);
    expect(await engine.why(await engine.run(tenantId, id))).toMatchObject({ reason: 'later' });
  });
});

// A worker all of whose connections go silent: new ones work, the old ones never answer again and are never closed.
import { afterEach, describe, expect, it } from 'vitest';
import { useDatabase } from '../../test/support/database.ts';
import { buildEngine, buildPipeline, newTenant } from '../../test/support/engine.ts';
import { openSilentProxy, type SilentProxy } from '../../test/support/silent-proxy.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { withTenant } from '../platform/database.ts';
import type { Engine } from './engine.ts';

const db = useDatabase();
let proxy: SilentProxy;
let engine: (Engine & { close(): Promise<void> }) | undefined;

afterEach(async () => {
  // A test that failed may have left somebody waiting who never hears; its verdict is not to wait for him.
  proxy.letGo();
  await engine?.close();
  await proxy.close();
});

const phases = async () =>
  (
    await db.admin.query<{ phase: string; runs: number }>(
      'select phase, count(*)::int as runs from engine.runs group by 1 order by 1',
    )
  ).rows;

describe('a worker whose connections go silent', () => {
  it('notices by itself: every run ends once, whether it was being claimed, committed or ended', async () => {
    proxy = await openSilentProxy(db.appUrl);
    let inside = 0;
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const pipeline = buildPipeline(
      'silent',
      async (context) => {
        await context.commit(
          async (tx) => {
            inside += 1;
            await gate;
            await tx.query('select 1');
          },
          { checkpoint: { done: true } },
        );
        return 'complete';
      },
      { retry: { transient: { max: 50, backoff: { baseMs: 50, factor: 1, maxMs: 50, jitter: 0 } } } },
    );
    engine = await buildEngine(proxy.through(db.appUrl), [pipeline], { settings: { concurrency: 4 } });
    await engine.start();
    const tenantId = newTenant();
    await engine.enqueueMany(Array.from({ length: 12 }, () => ({ pipeline: 'silent', tenantId, input: {} })));
    await waitFor(() => inside === 4 || undefined, { what: 'four stages inside their commits' });
    // Heartbeat, listener, idle connections, and four transactions with a statement to come.
    expect(proxy.silence()).toBeGreaterThan(6);
    open();
    await waitFor(async () => ((await phases()).every(({ phase }) => phase === 'done') ? true : undefined), {
      what: 'all runs to end',
    });
    expect(await phases()).toEqual([{ phase: 'done', runs: 12 }]);
  });
});

describe('a consumer whose connection goes silent', () => {
  it('notices by itself: every event is applied once', async () => {
    proxy = await openSilentProxy(db.appUrl);
    await db.admin.query('create table if not exists public.heard (key text)');
    await db.admin.query('grant insert on public.heard to millrace_engine');
    let inside = 0;
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    engine = await buildEngine(proxy.through(db.appUrl), [buildPipeline('plain', async () => 'complete')]);
    engine.consume({
      name: 'silent',
      async apply(tx, events) {
        inside += 1;
        await gate;
        for (const { key } of events) await tx.query('insert into public.heard values ($1)', [key]);
      },
    });
    await engine.start({ services: true });
    await engine.emit([{ tenantId: newTenant(), runId: null, type: 'test.happened', key: 'news', data: '{}' }]);
    engine.wake();
    await waitFor(() => inside === 1 || undefined, { what: 'the consumer inside its transaction' });
    expect(proxy.silence()).toBeGreaterThan(0);
    open();
    const heard = async () => (await db.admin.query<{ key: string }>(`select key from public.heard`)).rows;
    await waitFor(async () => (await heard()).some(({ key }) => key === 'news') || undefined, {
      what: 'the event to be applied',
    });
    expect((await heard()).filter(({ key }) => key === 'news')).toHaveLength(1);
  });
});

/** What the limit of a large call, or of the driver alone, would exceed. */
const SOON_MS = 25_000;

async function soon<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${SOON_MS} ms`)), SOON_MS);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

describe('a caller whose connection goes silent', () => {
  it('that enqueues a few runs hears soon, and each of them is there once', async () => {
    proxy = await openSilentProxy(db.appUrl);
    engine = await buildEngine(proxy.through(db.appUrl), [buildPipeline('few', async () => 'complete')], {
      controlSize: 1,
    });
    const tenantId = newTenant();
    const request = { pipeline: 'few', tenantId, input: {} };
    await engine.enqueue(request);
    expect(proxy.silence()).toBeGreaterThan(0);
    const one = await soon(engine.enqueue(request));
    expect(proxy.silence()).toBeGreaterThan(0);
    const many = await soon(engine.enqueueMany(['a', 'b', 'c'].map((uniqueKey) => ({ ...request, uniqueKey }))));
    expect([one, ...many].every(({ created }) => created)).toBe(true);
    const { rows } = await db.admin.query('select from engine.runs where tenant_id = $1', [tenantId]);
    expect(rows).toHaveLength(5);
  });

  it('that verifies goes on over another one; that works in a transaction of its own is told that the database was lost', async () => {
    proxy = await openSilentProxy(db.appUrl);
    const pipeline = buildPipeline('verified', async () => 'complete', {
      recount: async (_, tx) => {
        expect(proxy.silence()).toBeGreaterThan(0);
        await tx.query('select 1');
        return { read: 0, outcomes: {} };
      },
    });
    engine = await buildEngine(proxy.through(db.appUrl), [pipeline]);
    await engine.start();
    const tenantId = newTenant();
    const { id } = await engine.enqueue({ pipeline: 'verified', tenantId, input: {} });
    const { verify, run, pools } = engine;
    await waitFor(async () => (await run(tenantId, id)).phase === 'done', { what: 'the run to end' });
    expect(await soon(verify(tenantId, id))).toMatchObject({ agrees: true });
    const session = { tenantId, role: 'millrace_app' };
    const work = withTenant(pools.effects, session, async (tx) => {
      proxy.silence();
      await tx.query('select 1');
    });
    await expect(soon(work)).rejects.toMatchObject({ code: 'database_lost' });
  });

  it('that only waits for a slow statement is left to wait: the server says that it is at work', async () => {
    proxy = await openSilentProxy(db.appUrl);
    engine = await buildEngine(proxy.through(db.appUrl), [buildPipeline('slow', async () => 'complete')]);
    // Longer than the silence after which the server is asked, twice over.
    const session = { tenantId: newTenant(), role: 'millrace_app' };
    const slow = withTenant(engine.pools.effects, session, (tx) => tx.query(`select pg_sleep(4.5), 'done' as answer`));
    expect((await slow).rows).toMatchObject([{ answer: 'done' }]);
  });
});

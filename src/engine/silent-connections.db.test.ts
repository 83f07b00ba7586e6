// A worker all of whose connections go silent: new ones work, the old ones never answer again and are never closed.
import { afterEach, describe, expect, it } from 'vitest';
import { useDatabase } from '../../test/support/database.ts';
import { buildEngine, buildPipeline, newTenant } from '../../test/support/engine.ts';
import { openSilentProxy, type SilentProxy } from '../../test/support/silent-proxy.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import type { Engine } from './engine.ts';

const db = useDatabase();
let proxy: SilentProxy;
let engine: (Engine & { close(): Promise<void> }) | undefined;

afterEach(async () => {
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
      timeoutMs: 25_000,
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
      timeoutMs: 25_000,
      what: 'the event to be applied',
    });
    expect((await heard()).filter(({ key }) => key === 'news')).toHaveLength(1);
  });
});

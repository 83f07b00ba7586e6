// Runs that are delivered by id: nobody claims them before, whoever is given one works on it once, and what nobody was given is not lost.
import { afterEach, describe, expect, it } from 'vitest';
import { useDatabase } from '../../test/support/database.ts';
import { buildEngine, buildPipeline, endOfRun, newTenant } from '../../test/support/engine.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import type { Engine } from './engine.ts';
import type { StageContext } from './stage-context.ts';

const db = useDatabase();
const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const engine of opened.splice(0)) await engine.close();
});

const HOUR_MS = 3_600_000;

/** Works until it is let go. */
function gate() {
  let open = () => {};
  const opening = new Promise<void>((resolve) => {
    open = resolve;
  });
  let began = 0;
  const work = async ({ signal }: StageContext<Record<string, unknown>>) => {
    began += 1;
    await Promise.race([opening, new Promise((resolve) => signal.addEventListener('abort', resolve))]);
    return { on: 'complete', receipt: { read: 0, outcomes: {} } };
  };
  return { work, open: () => open(), began: () => began };
}

async function engineFor(name: string, overdueAfterMs: number, work: ReturnType<typeof gate>['work']) {
  const engine = await buildEngine(db.appUrl, [buildPipeline(name, work, { overdueAfterMs })], {
    settings: { concurrency: 1, maxClaim: 1 },
  });
  opened.push(engine);
  return engine;
}

const ended = (engine: Engine, tenantId: string, runId: string) => endOfRun(engine, tenantId, runId);

describe('a run that is delivered by id', () => {
  it('is claimed by nobody before its delivery, says so, and is worked on once however often it is delivered', async () => {
    const { work, open, began } = gate();
    const engine = await engineFor('parcels', HOUR_MS, work);
    const other = await engineFor('parcels', HOUR_MS, work);
    const tenantId = newTenant();
    await Promise.all([engine.start(), other.start()]);
    const { id } = await engine.enqueue({ pipeline: 'parcels', tenantId, input: {} });
    const { id: second } = await engine.enqueue({ pipeline: 'parcels', tenantId, input: {} });
    expect(await engine.why(await engine.run(tenantId, id))).toMatchObject({ reason: 'delivery' });

    expect(await Promise.all([engine.deliver(id), other.deliver(id)])).toEqual(
      expect.arrayContaining(['taken', 'none']),
    );
    const holder = engine.freeSlots() === 0 ? engine : other;
    expect(await holder.deliver(second)).toBe('busy');
    expect(await engine.run(tenantId, second)).toMatchObject({ phase: 'waiting', attempt: 0 });
    open();
    expect(await ended(engine, tenantId, id)).toMatchObject({ status: 'completed', attempt: 1 });
    expect(await other.deliver(id)).toBe('none');
    expect(began()).toBe(1);
  });

  it('is claimed like any other once its delivery is overdue', async () => {
    const { work, open } = gate();
    open();
    const engine = await engineFor('late_parcels', 50, work);
    const tenantId = newTenant();
    await engine.start();
    const { id } = await engine.enqueue({ pipeline: 'late_parcels', tenantId, input: {} });
    expect(await ended(engine, tenantId, id)).toMatchObject({ status: 'completed' });
  });

  it('is failed with the reason when it cannot be delivered, but not when somebody has it', async () => {
    const { work, open } = gate();
    const engine = await engineFor('lost_parcels', HOUR_MS, work);
    const tenantId = newTenant();
    await engine.start();
    const [first, second] = await engine.enqueueMany(
      [1, 2].map(() => ({ pipeline: 'lost_parcels', tenantId, input: {} })),
    );
    const fail = (runId = '') =>
      engine.failUndelivered({ tenantId, runId, code: 'worker_lost', text: 'nobody is there' });
    expect(await fail(first?.id)).toBe(true);
    expect(await fail(first?.id)).toBe(false);
    expect(await engine.run(tenantId, first?.id ?? '')).toMatchObject({
      status: 'failed',
      error_code: 'worker_lost',
      error_text: 'nobody is there',
    });
    expect(await engine.deliver(first?.id ?? '')).toBe('none');
    expect(await engine.deliver(second?.id ?? '')).toBe('taken');
    expect(await fail(second?.id)).toBe(false);
    open();
    expect(await ended(engine, tenantId, second?.id ?? '')).toMatchObject({ status: 'completed' });
  });

  it('is left to others by a worker that leaves its pipeline', async () => {
    const { work, open } = gate();
    open();
    const plain = await engineFor('left_parcels', 1, work);
    const own = await engineFor('left_parcels', 1, work);
    const tenantId = newTenant();
    await plain.start({ worker: true, services: true, leaves: ['left_parcels'] });
    const { id } = await plain.enqueue({ pipeline: 'left_parcels', tenantId, input: {} });
    await waitFor(async () => (await plain.why(await plain.run(tenantId, id)))?.reason === 'no_worker' || undefined, {
      what: 'the run to wait for another worker',
    });
    await own.start({ worker: true });
    expect(await ended(own, tenantId, id)).toMatchObject({ status: 'completed' });
  });
});

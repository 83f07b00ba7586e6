// What befalls runs that several workers share: stalls, losses, waiting, pauses, cancels; what is told of them; who wakes whom.
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { useDatabase } from '../../test/support/database.ts';
import { buildEngine, endOfRun, newTenant } from '../../test/support/engine.ts';
import {
  gate,
  type Input,
  makePieces,
  PARTS,
  PIECES,
  type Shared,
  sharedPipeline,
  storePieces,
  waitInside,
} from '../../test/support/shared-run.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import { withTenant } from '../platform/database.ts';
import { uuidv7 } from '../platform/ids.ts';
import type { PipelineOptions } from './pipeline.ts';
import { readProgress } from './reads/read-progress.ts';
import { readShownRun } from './reads/read-run.ts';
import { readSigns } from './reads/read-signs.ts';
import { rescueLostRuns } from './services/rescuer.ts';
import type { EngineSettings } from './settings.ts';

const database = useDatabase();
const tenantId = newTenant();
const engines: Awaited<ReturnType<typeof buildEngine>>[] = [];
/** Longer than any test waits: whoever must be woken cannot find its work by looking. */
const NEVER_LOOKS = { pollMs: 600_000 };
const DAY_MS = 86_400_000;
const retryAfter = (baseMs: number): Partial<PipelineOptions<Input>> => ({
  retry: { transient: { max: 9, backoff: { baseMs, factor: 1, maxMs: DAY_MS, jitter: 0 } } },
});
const busy = () => new MillraceError('database_busy', { reason: 'for the test' });

beforeAll(async () => {
  await database.admin.query(makePieces);
});
afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()));
});

async function open(
  name: string,
  stage: Partial<Shared>,
  options: Partial<PipelineOptions<Input>> = {},
  settings: Partial<EngineSettings> = {},
) {
  const pipeline = sharedPipeline(name, stage, options);
  const engine = await buildEngine(database.appUrl, [pipeline], { settings: { concurrency: PARTS, ...settings } });
  engines.push(engine);
  return engine;
}

type TestEngine = Awaited<ReturnType<typeof open>>;

const ask = async (text: string, values: unknown[]) => (await database.admin.query(text, values)).rows;
const leasesOf = (id: string) => ask('select part, attempt from engine.leases where run_id = $1 order by part', [id]);
const attemptsOf = (id: string) =>
  ask('select part, outcome, error_code from engine.attempts where run_id = $1 order by attempt', [id]);
const allAtWork = (id: string) =>
  waitFor(async () => (await leasesOf(id)).length === PARTS, { what: 'all parts to be at work' });

async function enqueue(engine: TestEngine, pipeline: string): Promise<string> {
  return (await engine.enqueue({ pipeline, tenantId, input: {} })).id;
}

const ended = (engine: TestEngine, id: string) => endOfRun(engine, tenantId, id);

async function expectWhole(engine: TestEngine, id: string): Promise<void> {
  expect(await ended(engine, id)).toMatchObject({ phase: 'done', receipt: { read: PARTS * PIECES } });
  const pieces = await ask('select distinct part, piece from x.pieces where run_id = $1', [id]);
  const stored = await ask('select from x.pieces where run_id = $1', [id]);
  expect([pieces.length, stored.length]).toEqual([PARTS * PIECES, PARTS * PIECES]);
}

describe('a part', () => {
  it('that stalls is stopped and tried again alone, while the others go on', async () => {
    const others = gate();
    const never = gate();
    let hasStalled = false;
    const stage: Partial<Shared> = {
      stallMs: 600,
      work: (context) =>
        storePieces(context, async (piece) => {
          if (context.part.index !== 1) {
            context.progress({ done: piece });
            if (piece === 2 && !hasStalled) await waitInside(others.opened, context.signal);
          } else if (piece === 1 && !hasStalled) {
            hasStalled = true;
            await waitInside(never.opened, context.signal).finally(others.open);
          }
        }),
    };
    const engine = await open('stalls', stage, retryAfter(1));
    await engine.start();
    const id = await enqueue(engine, 'stalls');
    await expectWhole(engine, id);
    expect(await attemptsOf(id)).toContainEqual({ part: '1', outcome: 'retried', error_code: 'stage_stalled' });
  });

  it('that loses its worker LOST_LIMIT times fails the run once the others have ended, and losses of other parts do not count', async () => {
    const others = gate();
    const never = gate();
    const stage: Partial<Shared> = {
      work: (context) => waitInside(context.part.index === 1 ? never.opened : others.opened, context.signal),
    };
    const engine = await open('loses', stage, { lostLimit: 2 });
    await engine.start();
    const id = await enqueue(engine, 'loses');
    await allAtWork(id);
    const lose = async (part: string) => {
      const before = (await attemptsOf(id)).length;
      await waitFor(
        async () =>
          (
            await ask('update engine.leases set worker_id = $3 where run_id = $1 and part = $2 returning 1', [
              ...[id, part],
              uuidv7(),
            ])
          )[0],
      );
      await waitFor(
        async () => {
          await rescueLostRuns(engine.pools.control, { ...console, warn() {}, info() {}, error() {}, debug() {} });
          return (await attemptsOf(id)).length > before;
        },
        { what: `part ${part} to be taken back` },
      );
    };
    await lose('1');
    await lose('2');
    expect(await engine.run(tenantId, id)).toMatchObject({ phase: 'active' });
    await lose('1');
    expect(await engine.run(tenantId, id)).toMatchObject({ phase: 'active' });
    others.open();
    expect(await ended(engine, id)).toMatchObject({ phase: 'failed', error_code: 'worker_lost' });
    expect((await attemptsOf(id)).filter(({ outcome }) => outcome === 'lost')).toHaveLength(3);
  });

  it('that must wait makes the whole run wait when nobody is left at work, and the run says why', async () => {
    const others = gate();
    const stage: Partial<Shared> = {
      async work(context) {
        if (context.part.index === 3) throw busy();
        await waitInside(others.opened, context.signal);
        await storePieces(context);
      },
    };
    const engine = await open('waits', stage, retryAfter(DAY_MS));
    await engine.start();
    const id = await enqueue(engine, 'waits');
    await waitFor(async () => (await attemptsOf(id)).length === 1, { what: 'part 3 to fail' });
    expect(await engine.why(await engine.run(tenantId, id))).toBeNull();
    others.open();
    const run = await waitFor(async () => {
      const now = await engine.run(tenantId, id);
      return now.phase === 'waiting' ? now : undefined;
    });
    const why = await engine.why(run);
    expect(why).toMatchObject({
      reason: 'retry',
      text: expect.stringMatching(/^retry 1 of 9 at .* after database_busy$/),
    });
    expect(Math.abs((why?.until?.getTime() ?? 0) - Date.now() - DAY_MS)).toBeLessThan(3_600_000);
  });
});

describe('a shared run', () => {
  it('is verified as any other: the recount of all its parts agrees with its receipt, or says where it does not', async () => {
    let isMissing = false;
    const engine = await open(
      'verified',
      {},
      {
        recount: async (run, tx) => {
          const { rows } = await tx.query('select count(*)::int as n from x.pieces where run_id = $1', [run.id]);
          const read = rows[0].n - (isMissing ? 1 : 0);
          return { read, outcomes: { stored: read } };
        },
      },
    );
    await engine.start();
    const id = await enqueue(engine, 'verified');
    await expectWhole(engine, id);
    expect(await engine.verify(tenantId, id)).toMatchObject({ agrees: true, differences: [] });
    isMissing = true;
    expect(await engine.verify(tenantId, id)).toMatchObject({ agrees: false });
  });

  it('finishes under a pause with those who have it; nobody else joins until the pause is lifted', async () => {
    const all = gate();
    const stage: Partial<Shared> = {
      work: (context) => storePieces(context, () => waitInside(all.opened, context.signal)),
    };
    const [first, second] = [await open('paused', stage, {}, { concurrency: 1 }), await open('paused', stage)];
    await first.start();
    const id = await enqueue(first, 'paused');
    await waitFor(async () => (await leasesOf(id)).length === 1);
    await first.pause('paused', 'ann');
    await second.start();
    const later = await enqueue(second, 'paused');
    // It has looked, and found nothing that it may have.
    await waitFor(async () => (await ask('select from engine.workers where ended_at is null', [])).length === 2);
    second.wake();
    all.open();
    await expectWhole(first, id);
    const workers = await ask('select distinct worker_id from engine.attempts where run_id = $1', [id]);
    expect(workers).toHaveLength(1);
    expect(await first.run(tenantId, later)).toMatchObject({ phase: 'waiting' });
    expect(await first.why(await first.run(tenantId, later))).toMatchObject({ reason: 'paused' });
    await first.unpause('paused');
    await expectWhole(second, later);
  });

  it('is cancelled with parts that wait: none of them begins, and it ends once', async () => {
    const never = gate();
    let begun = 0;
    const stage: Partial<Shared> = {
      async work(context) {
        begun += 1;
        if (context.part.index !== 0) throw busy();
        await waitInside(never.opened, context.signal);
      },
    };
    const engine = await open('cancelled', stage, retryAfter(DAY_MS));
    await engine.start();
    const id = await enqueue(engine, 'cancelled');
    await waitFor(async () => (await attemptsOf(id)).length === PARTS - 1, { what: 'the other parts to wait' });
    expect(await engine.cancel({ tenantId, by: 'ann' }, id)).toBe('requested');
    expect(await ended(engine, id)).toMatchObject({ phase: 'failed', error_code: 'run_cancelled' });
    expect(begun).toBe(PARTS);
    expect(await ask('select from engine.parts where run_id = $1', [id])).toEqual([]);
    expect(await ask(`select from engine.events where run_id = $1 and type = 'run.failed'`, [id])).toHaveLength(1);
  });
});

describe('progress of parts', () => {
  it('is kept apart and shown as one sum, of the stage under way', async () => {
    const all = gate();
    const stage: Partial<Shared> = {
      async work(context) {
        context.progress({ done: 10 + context.part.index, total: 100, unit: 'rows' });
        await waitInside(all.opened, context.signal);
        await storePieces(context);
      },
    };
    const engine = await open('reports', stage);
    await engine.start();
    const id = await enqueue(engine, 'reports');
    const progress = await waitFor(
      async () => {
        const now = await readProgress(engine.pools.control, tenantId, id);
        return now?.total === PARTS * 100 ? now : undefined;
      },
      { what: 'all parts to have reported' },
    );
    expect(progress).toMatchObject({ done: 10 + 11 + 12 + 13, stage: 'work', unit: 'rows' });
    const asTenant = { tenantId, role: 'millrace_app' };
    const shown = await withTenant(database.app, asTenant, (tx) => readShownRun(tx, tenantId, id));
    expect(shown).toMatchObject({ progress_done: 46, progress_total: 400, progress_unit: 'rows' });
    expect(await readSigns(database.engine)).toMatchObject({ active: 1 });
    all.open();
    await expectWhole(engine, id);
  });
});

describe('views that name runs', () => {
  it('name a run once, however many of its parts are held', async () => {
    const [run, worker] = [uuidv7(), uuidv7()];
    const client = await database.admin.connect();
    try {
      await client.query('set session_replication_role = replica');
      await client.query(
        `insert into engine.runs (id, tenant_id, pipeline, status, phase, lane, input, unique_key, attempt, started_at)
         values ($1, $2, 'judgments', 'processing', 'active', 'x', '{}', 'batch', 3, engine.now() - interval '9 hours')`,
        [run, tenantId],
      );
      await client.query(
        `insert into engine.workers (worker_id, name, pid, host, version, pipelines, concurrency, expires_at)
         values ($1, 'w', 1, 'h', 'v', '{}', 1, engine.now() - interval '1 hour')`,
        [worker],
      );
      await client.query(
        `insert into engine.leases (run_id, part, attempt, worker_id, tenant_id, pipeline, lane, stage, capped, queued_at, claimed_at)
         select $1, part, n, $2, $3, 'judgments', 'x', 'import', false, engine.now(), engine.now() - n * interval '2 hours'
         from unnest(array['', '1', '2'], array[1, 2, 3]) as p (part, n)`,
        [run, worker, tenantId],
      );
      for (const view of [
        'engine.stale_runs where run_id',
        'ingest.import_runs where id',
        'ingest.v_stale_runs where id',
      ])
        expect((await client.query(`select from ${view} = $1`, [run])).rowCount, view).toBe(1);
      const { rows } = await client.query(
        'select hours_stale::float8 as hours from ingest.v_stale_runs where id = $1',
        [run],
      );
      expect(rows[0].hours).toBeCloseTo(6, 1);
    } finally {
      await client.query('delete from engine.leases where run_id = $1', [run]);
      await client.query('delete from engine.workers where worker_id = $1', [worker]);
      await client.query('delete from engine.runs where id = $1', [run]);
      client.release(true);
    }
  });
});

describe('work of parts is not found by looking alone', () => {
  it('every worker that has room hears of an open part, also when several go for one run at the same moment', async () => {
    const all = gate();
    const stage: Partial<Shared> = {
      work: (context) => storePieces(context, () => waitInside(all.opened, context.signal)),
    };
    const settings = { ...NEVER_LOOKS, concurrency: 1 };
    const workers = await Promise.all(Array.from({ length: PARTS }, () => open('heard', stage, {}, settings)));
    await Promise.all(workers.map((worker) => worker.start()));
    const id = await enqueue(workers[0] as TestEngine, 'heard');
    await allAtWork(id);
    all.open();
    await expectWhole(workers[0] as TestEngine, id);
    expect(await leasesOf(id)).toEqual([]);
  });

  it('a part that is tried again later is taken when its time has come, while others are at work and when nobody is', async () => {
    const others = gate();
    const failed = new Map<number, number>();
    const stage: Partial<Shared> = {
      async work(context) {
        const { index } = context.part;
        const tries = (failed.get(index) ?? 0) + 1;
        failed.set(index, tries);
        // The first fails while the others stand; the second time when they have ended.
        if (index === 1 && tries <= 2) throw busy();
        if (index !== 1 && tries === 1) await waitInside(others.opened, context.signal);
        await storePieces(context);
        if (index === 1) return;
      },
    };
    const engine = await open('later', stage, retryAfter(300), NEVER_LOOKS);
    await engine.start();
    const id = await enqueue(engine, 'later');
    await waitFor(() => (failed.get(1) ?? 0) >= 2, { what: 'the part to be tried again while others are at work' });
    others.open();
    await expectWhole(engine, id);
    expect(failed.get(1)).toBe(3);
  });
});

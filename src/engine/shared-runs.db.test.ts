// Several workers on one run. Each engine here is a process of its own to the database: other workers, other leases.
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
} from '../../test/support/shared-run.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import type { PipelineOptions } from './pipeline.ts';

const database = useDatabase();
const tenantId = newTenant();
const engines: Awaited<ReturnType<typeof buildEngine>>[] = [];

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
  concurrency = 1,
) {
  const pipeline = sharedPipeline(name, stage, options);
  const engine = await buildEngine(database.appUrl, [pipeline], { settings: { concurrency } });
  engines.push(engine);
  return engine;
}

type TestEngine = Awaited<ReturnType<typeof open>>;

const ended = (engine: TestEngine, id: string) => endOfRun(engine, tenantId, id);

const ask = async (text: string, values: unknown[]) => (await database.admin.query(text, values)).rows;
const leasesOf = (id: string) => ask('select part, worker_id from engine.leases where run_id = $1 order by part', [id]);

/** As after a kill. Until it is declared lost: its heartbeat goes on, and may come before the rescuer looks. */
const expire = (workerId: string | undefined) =>
  ask(
    `update engine.workers set expires_at = engine.now() - interval '1 hour' where worker_id = $1 and ended_at is null`,
    [workerId],
  );

/** Each piece of each part once, one receipt, one event, nothing left behind. */
async function expectWhole(engine: TestEngine, id: string) {
  const read = PARTS * PIECES;
  expect(await engine.run(tenantId, id)).toMatchObject({
    phase: 'done',
    receipt: { read, outcomes: { stored: read } },
  });
  const pieces = await ask('select part, piece, count(*)::int as n from x.pieces where run_id = $1 group by 1, 2', [
    id,
  ]);
  expect(pieces).toHaveLength(read);
  expect(pieces.every(({ n }) => n === 1)).toBe(true);
  expect(await ask(`select type from engine.events where run_id = $1 and type = 'run.done'`, [id])).toHaveLength(1);
  expect(await ask('select from engine.parts where run_id = $1', [id])).toEqual([]);
  expect(await leasesOf(id)).toEqual([]);
  const [history] = await ask(
    'select count(*)::int as n, count(distinct attempt)::int as attempts from engine.attempts where run_id = $1',
    [id],
  );
  const run = await engine.run(tenantId, id);
  expect(history).toEqual({ n: run.attempt, attempts: run.attempt });
}

describe('a shared run', () => {
  it('is worked by several workers at once, and the last part to end ends it once', async () => {
    const all = gate();
    const stage: Partial<Shared> = {
      work: (context) => storePieces(context, (piece) => (piece === 1 ? all.opened : Promise.resolve())),
    };
    const workers = await Promise.all(Array.from({ length: PARTS }, () => open('several', stage)));
    await Promise.all(workers.map((worker) => worker.start()));
    const [first] = workers as [TestEngine];
    const { id } = await first.enqueue({ pipeline: 'several', tenantId, input: {} });
    await waitFor(async () => (await leasesOf(id)).length === PARTS, { what: 'every worker to have a part' });
    expect(new Set((await leasesOf(id)).map((lease) => lease.worker_id)).size).toBe(PARTS);
    all.open();
    await ended(first, id);
    await expectWhole(first, id);
  });

  it('is worked to its end by one worker with one slot, part after part', async () => {
    const engine = await open('alone', {});
    await engine.start();
    const { id } = await engine.enqueue({ pipeline: 'alone', tenantId, input: {} });
    expect(await ended(engine, id)).toMatchObject({ status: 'completed' });
    await expectWhole(engine, id);
  });

  it('counts as one run against the cap of its lane', async () => {
    const all = gate();
    const stage = { work: () => all.opened };
    const engine = await open('capped', { ...stage, conclude: async () => 'complete' }, { laneCap: 1 }, 10);
    await engine.start();
    const [one, two] = await engine.enqueueMany([1, 2].map(() => ({ pipeline: 'capped', tenantId, input: {} })));
    await waitFor(async () => (await leasesOf(one?.id ?? '')).length === PARTS, { what: 'all parts of the first run' });
    expect(await engine.run(tenantId, two?.id ?? '')).toMatchObject({ phase: 'waiting' });
    all.open();
    await ended(engine, two?.id ?? '');
  });

  it('loses a part alone: the part goes back with its checkpoint, the others go on', async () => {
    const all = gate();
    const lost = gate();
    let isLost = false;
    const stage: Partial<Shared> = {
      work: (context) =>
        storePieces(context, async (piece) => {
          if (context.part.index === 2 && piece === 1 && !isLost) {
            isLost = true;
            await lost.opened;
          } else if (context.part.index !== 2 && piece === 2) await all.opened;
        }),
    };
    const workers = await Promise.all(Array.from({ length: PARTS }, () => open('loses_one', stage)));
    await Promise.all(workers.map((worker) => worker.start()));
    const [first] = workers as [TestEngine];
    const { id } = await first.enqueue({ pipeline: 'loses_one', tenantId, input: {} });
    await waitFor(() => isLost, { what: 'part 2 to stand' });
    const before = await leasesOf(id);
    const victim = before.find(({ part }) => part === '2')?.worker_id;
    await waitFor(
      async () => {
        await expire(victim);
        const lostParts = `select from engine.attempts where run_id = $1 and outcome = 'lost' and part = '2'`;
        return (await ask(lostParts, [id])).length === 1;
      },
      { what: 'part 2 to be taken back' },
    );
    expect(await first.run(tenantId, id)).toMatchObject({ phase: 'active' });
    lost.open();
    all.open();
    await ended(first, id);
    await expectWhole(first, id);
  });

  it('goes back as a whole when all its workers are lost, and stores nothing twice', async () => {
    const stuck = gate();
    let standing = 0;
    let isOver = false;
    const stage: Partial<Shared> = {
      work: (context) =>
        storePieces(context, async (piece) => {
          if (isOver || piece !== 2) return;
          standing += 1;
          await stuck.opened;
        }),
    };
    const engine = await open('loses_all', stage, {}, PARTS);
    await engine.start();
    const { id } = await engine.enqueue({ pipeline: 'loses_all', tenantId, input: {} });
    await waitFor(() => standing === PARTS, { what: 'all parts to stand' });
    isOver = true;
    const victim = (await leasesOf(id))[0]?.worker_id;
    await waitFor(
      async () => {
        await expire(victim);
        return (await ask(`select from engine.attempts where run_id = $1 and outcome = 'lost'`, [id])).length >= PARTS;
      },
      { what: 'all parts to be taken back' },
    );
    stuck.open();
    expect(await ended(engine, id)).toMatchObject({ status: 'completed' });
    await expectWhole(engine, id);
  });

  it('fails with the first part that fails for good, when the others have ended', async () => {
    const all = gate();
    const stage: Partial<Shared> = {
      async work(context) {
        if (context.part.index === 1) throw new MillraceError('input_invalid', { pipeline: 'x', reason: 'because' });
        await all.opened;
        await storePieces(context);
      },
    };
    const engine = await open('fails', stage, {}, PARTS);
    await engine.start();
    const { id } = await engine.enqueue({ pipeline: 'fails', tenantId, input: {} });
    await waitFor(
      async () => (await ask('select from engine.parts where run_id = $1 and failure is not null', [id])).length === 1,
    );
    expect(await engine.run(tenantId, id)).toMatchObject({ phase: 'active' });
    all.open();
    expect(await ended(engine, id)).toMatchObject({ phase: 'failed', error_code: 'input_invalid' });
    expect(await ask(`select type from engine.events where run_id = $1 and type = 'run.failed'`, [id])).toHaveLength(1);
    expect(await ask('select from engine.parts where run_id = $1', [id])).toEqual([]);
  });

  it('is cancelled while several are at work', async () => {
    const stage: Partial<Shared> = {
      work: ({ signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    };
    const workers = await Promise.all([open('cancelled', stage, {}, 2), open('cancelled', stage, {}, 2)]);
    await Promise.all(workers.map((worker) => worker.start()));
    const [first] = workers;
    const { id } = await first.enqueue({ pipeline: 'cancelled', tenantId, input: {} });
    await waitFor(async () => (await leasesOf(id)).length === PARTS);
    expect(await first.cancel({ tenantId, by: 'tester' }, id)).toBe('requested');
    expect(await ended(first, id)).toMatchObject({ phase: 'failed', error_code: 'run_cancelled' });
    expect(await leasesOf(id)).toEqual([]);
  });

  it('is left by a worker that stops: its part goes to another', async () => {
    const all = gate();
    const stage: Partial<Shared> = {
      work: (context) =>
        storePieces(context, (piece) =>
          piece === 1
            ? Promise.race([
                all.opened,
                new Promise<never>((_, reject) =>
                  context.signal.addEventListener('abort', () => reject(context.signal.reason)),
                ),
              ])
            : Promise.resolve(),
        ),
    };
    const [staying, leaving] = [await open('drains', stage, {}, 2), await open('drains', stage, {}, 2)];
    await Promise.all([staying.start(), leaving.start()]);
    const { id } = await staying.enqueue({ pipeline: 'drains', tenantId, input: {} });
    await waitFor(async () => (await leasesOf(id)).length === PARTS);
    await leaving.stop();
    expect(await staying.run(tenantId, id)).toMatchObject({ phase: 'active' });
    all.open();
    await ended(staying, id);
    await expectWhole(staying, id);
  });
});

it('a pipeline whose shared stage cannot work is refused when it is defined', async () => {
  await expect(open('too_many', { parts: 65 })).rejects.toThrow(/needs 1 to 64 parts/);
  await expect(open('no_end', { conclude: undefined as never })).rejects.toThrow(/needs `conclude`/);
});

// Stages that do what a stage must not: each run ends with a code that says so, and nothing half is kept.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { useDatabase } from '../../test/support/database.ts';
import { buildEngine, buildPipeline, newTenant } from '../../test/support/engine.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import type { StageContext } from './stage-context.ts';

const database = useDatabase();
const tenantId = newTenant();
let engine: Awaited<ReturnType<typeof buildEngine>>;

const ends = (how: string) => (context: StageContext) =>
  context.commit(
    async (tx) => {
      await tx.query(`select count(*) from engine.runs`).catch(() => {});
      await tx.query(how);
    },
    { checkpoint: { at: 1 } },
  );

let parsed = 0;

const stages: Readonly<Record<string, (context: StageContext) => Promise<unknown>>> = {
  commits: ends('commit'),
  rolls_back: ends('rollback'),
  begins_anew: ends('rollback; begin'),
  emits_done: async ({ commit }) => commit(async () => {}, { emit: [{ type: 'run.done', data: {} }] }),
  ends_with_done: async () => ({ on: 'complete', emit: [{ type: 'run.staged', data: {} }] }),
  asks_often: async (context) => {
    const before = parsed;
    const [first, second] = [context.input, context.input];
    return first === second && parsed === before + 1 ? 'complete' : 'no such event';
  },
  nested: async ({ commit }) => {
    await commit(() => commit(async () => {}, { checkpoint: { inner: 1 }, part: 'inner' }), {
      checkpoint: { outer: 1 },
    });
    return 'complete';
  },
};

const counted = {
  input: z.record(z.string(), z.unknown()).transform((input) => {
    parsed += 1;
    return input;
  }),
};

beforeAll(async () => {
  const pipelines = Object.entries(stages).map(([name, work]) =>
    buildPipeline(name, async (context) => (await work(context)) as 'complete', name === 'asks_often' ? counted : {}),
  );
  engine = await buildEngine(database.appUrl, pipelines);
  await engine.start();
});
afterAll(() => engine.close());

async function outcomeOf(pipeline: string) {
  const { id } = await engine.enqueue({ pipeline, tenantId, input: {} });
  const run = await waitFor(
    async () => {
      const seen = await engine.run(tenantId, id);
      return seen.finished_at === null ? undefined : seen;
    },
    { what: `the run of ${pipeline} to end` },
  );
  const { rows } = await database.admin.query(
    `select (select count(*)::int from engine.checkpoints where run_id = $1) as checkpoints,
            array(select type from engine.events where run_id = $1 order by event_id) as events`,
    [id],
  );
  return { phase: run.phase, code: run.error_code, ...rows[0] };
}

describe('a stage that ends the transaction it was given', () => {
  it.each(['commits', 'rolls_back', 'begins_anew'])(
    '(%s) fails by name, and no checkpoint is stored for it',
    async (how) => {
      expect(await outcomeOf(how)).toEqual({
        phase: 'failed',
        code: 'stage_ended_transaction',
        checkpoints: 0,
        events: ['run.failed'],
      });
    },
  );
});

describe('a stage that emits an event of the engine', () => {
  it.each(['emits_done', 'ends_with_done'])('(%s) fails by name, and the run has one end', async (how) => {
    expect(await outcomeOf(how)).toMatchObject({ phase: 'failed', code: 'event_reserved', events: ['run.failed'] });
  });
});

describe('a stage that commits within its effects', () => {
  it('ends well: each has a transaction and a checkpoint of its own', async () => {
    expect(await outcomeOf('nested')).toMatchObject({ phase: 'done', checkpoints: 2, events: ['run.done'] });
  });
});

describe('a stage that asks for its input again and again', () => {
  it('pays for one parse, and finds one object', async () => {
    expect(await outcomeOf('asks_often')).toMatchObject({ phase: 'done', code: null });
  });
});

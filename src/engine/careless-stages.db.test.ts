// Stages that do what a stage must not: each run ends with a code that says so, and nothing half is kept.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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

const stages: Readonly<Record<string, (context: StageContext) => Promise<unknown>>> = {
  commits: ends('commit'),
  rolls_back: ends('rollback'),
  begins_anew: ends('rollback; begin'),
  emits_done: async ({ commit }) => commit(async () => {}, { emit: [{ type: 'run.done', data: {} }] }),
  ends_with_done: async () => ({ on: 'complete', emit: [{ type: 'run.staged', data: {} }] }),
  nested: async ({ commit }) => {
    await commit(() => commit(async () => {}, { checkpoint: { inner: 1 }, part: 'inner' }), {
      checkpoint: { outer: 1 },
    });
    return 'complete';
  },
};

beforeAll(async () => {
  const pipelines = Object.entries(stages).map(([name, work]) =>
    buildPipeline(name, async (context) => (await work(context)) as 'complete'),
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

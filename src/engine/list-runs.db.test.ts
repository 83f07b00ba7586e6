// The list of runs, by the words of their machines.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { useDatabase } from '../../test/support/database.ts';
import { buildEngine, newTenant } from '../../test/support/engine.ts';
import { machine } from '../contract/states/machine.ts';
import { definePipeline } from './pipeline.ts';

const database = useDatabase();
const tenantId = newTenant();
let engine: Awaited<ReturnType<typeof buildEngine>>;

const patient = definePipeline({
  machine: machine('patient', {
    failed: { phase: 'waiting', stage: 'work', on: { claim: 'working', fail: 'cancelled' } },
    working: { phase: 'active', stage: 'work', on: { complete: 'completed', fail: 'cancelled', release: 'failed' } },
    completed: { phase: 'done' },
    cancelled: { phase: 'failed' },
  }),
  input: z.object({}),
  stages: { work: async () => 'complete' },
});

beforeAll(async () => {
  engine = await buildEngine(database.appUrl, [patient]);
});
afterAll(() => engine.close());

it('a word that ends runs in one machine finds those that wait under it in another, and each once', async () => {
  const [waiting, ended] = await engine.enqueueMany([
    { pipeline: 'patient', tenantId, input: {} },
    { pipeline: 'patient', tenantId, input: {} },
  ]);
  await engine.cancel({ tenantId, by: 'tester' }, ended?.id ?? '');
  const found = async (filter: object) => (await engine.listRuns({ tenantId, ...filter }, 10)).map(({ id }) => id);
  expect(await found({ status: 'failed' })).toEqual([waiting?.id]);
  expect(await found({ status: 'cancelled' })).toEqual([ended?.id]);
  expect(await found({ phase: 'failed' })).toEqual([ended?.id]);
});

// The number of an attempt is told in five places: the stage report that the console's header shows, the attempts of a run, their list, what
// happens next, and the CLI. A person who compares them must find one number.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { buildTenant, buildUser, type TestUser, useApi } from '../../../test/support/api.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { buildEngine } from '../../../test/support/engine.ts';
import { waitFor } from '../../../test/support/wait-for.ts';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { machine } from '../../contract/states/machine.ts';
import type { Engine } from '../../engine/engine.ts';
import { definePipeline } from '../../engine/pipeline.ts';
import { formatRun } from './print-run.ts';

const db = useDatabase();
let engine: Engine & { close(): Promise<void> };
let admin: TestUser;
let tries = 0;
let release: (() => void) | undefined;

const steps = machine('steps', {
  queued: { phase: 'waiting', stage: 'read', on: { claim: 'reading', fail: 'failed' } },
  reading: { phase: 'active', stage: 'read', on: { complete: 'staged', fail: 'failed', release: 'queued' } },
  staged: { phase: 'waiting', stage: 'store', on: { claim: 'storing', fail: 'failed' } },
  storing: { phase: 'active', stage: 'store', on: { complete: 'completed', fail: 'failed', release: 'staged' } },
  completed: { phase: 'done' },
  failed: { phase: 'failed' },
});
const pipeline = definePipeline({
  machine: steps,
  input: z.unknown(),
  stages: {
    read: async () => 'complete',
    store: async () => {
      tries += 1;
      if (tries < 3) throw new MillraceError('database_lost');
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return { on: 'complete', receipt: { read: 0 } };
    },
  },
  retry: { transient: { max: 5, backoff: { baseMs: 10, factor: 1, maxMs: 10, jitter: 0 } } },
});

beforeAll(async () => {
  engine = await buildEngine(db.appUrl, [pipeline]);
  await engine.start();
  admin = await buildUser(db, await buildTenant(db), 'admin');
});
afterAll(() => engine.close());
const api = useApi(db, () => ({ engine }));

it('attempt numbers agree: the third attempt of the second stage is the third everywhere, though it is the fourth of the run', async () => {
  const { id } = await engine.enqueue({ pipeline: 'steps', tenantId: admin.tenantId, input: {} });
  const call = { as: admin, params: { run_id: id } };
  await waitFor(() => release !== undefined);
  const run = (await api.call('runs.show', call)).json();
  const listed = (await api.call('runs.attempts', call)).json().data;
  const numbers = (of: { stage: string; number: number }[]) => of.map(({ stage, number }) => [stage, number]);
  const expected = [
    ['read', 1],
    ['store', 1],
    ['store', 2],
    ['store', 3],
  ];
  expect(run.stages).toMatchObject([
    { stage: 'read', attempts: 1 },
    { stage: 'store', attempts: 3, attempts_allowed: 6 },
  ]);
  expect(numbers(run.attempts)).toEqual(expected);
  expect(numbers(listed)).toEqual(expected);
  expect(run.next).toContain('Stage "store" is running, attempt 3');
  const printed = formatRun(run);
  expect(printed).toContain('attempt 3');
  expect([...printed.matchAll(/^(read|store) +(\d+) /gm)].map(([, stage, number]) => [stage, Number(number)])).toEqual(
    expected,
  );
  release?.();
  await waitFor(async () => (await engine.run(admin.tenantId, id)).finished_at);
});

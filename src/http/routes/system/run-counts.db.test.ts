// /api/metrics and /v1/pipelines count all runs of a tenant, and say what each pipeline takes.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildTenant, buildUser, type TestUser, useApi } from '../../../../test/support/api.ts';
import { useDatabase } from '../../../../test/support/database.ts';
import { buildEngine, buildPipeline } from '../../../../test/support/engine.ts';
import { waitFor } from '../../../../test/support/wait-for.ts';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import type { Engine } from '../../../engine/engine.ts';
import { adsIntake } from '../../../pipelines/ads/http/ads-handlers.ts';
import { keepMs } from '../../metrics/run-counts.ts';

const db = useDatabase();
let engine: Engine & { close(): Promise<void> };
let admin: TestUser;
const steady = buildPipeline('steady', async () => ({ on: 'complete', receipt: { read: 0 } }));
const failing = buildPipeline('failing', async () => {
  throw new MillraceError('input_invalid', { pipeline: 'failing', reason: 'x' });
});

beforeAll(async () => {
  engine = await buildEngine(db.appUrl, [steady, failing]);
  admin = await buildUser(db, await buildTenant(db), 'admin');
});
afterAll(() => engine.close());

const api = useApi(db, () => ({ engine, pipelines: { steady: { title: 'Steady', intake: adsIntake(engine) } } }));

it('counts runs that wait, are held, have ended well, badly, and lie in the history; nothing is left out', async () => {
  const { tenantId } = admin;
  const add = async (pipeline: string) => (await engine.enqueue({ pipeline, tenantId, input: {} })).id;
  const ended: string[] = [];
  for (const pipeline of ['steady', 'steady', 'steady', 'failing', 'failing']) ended.push(await add(pipeline));
  await engine.start();
  for (const id of ended) await waitFor(async () => (await engine.run(tenantId, id)).finished_at);
  await engine.stop();
  const held = await add('steady');
  await engine.hold({ tenantId, by: 'ada' }, held);
  await add('steady');
  // One of them has left the ledger for its history.
  await db.admin.query(
    `with gone as (delete from engine.runs where id = $1 returning *) insert into engine.past_runs select * from gone`,
    [ended[0]],
  );
  const expected = {
    steady: { waiting: 2, active: 0, done: 3, failed: 0, dead: 0 },
    failing: { waiting: 0, active: 0, done: 0, failed: 2, dead: 0 },
  };
  const metrics = (await api.call('system.metrics', { as: admin })).json();
  expect(metrics.pipelines).toEqual(expected);
  expect(metrics.pace).toMatchObject({ pending_count: 2, queue_depth: 1 });
  expect((await api.call('system.prometheus')).body).toContain('millrace_pending_count{pipeline="steady"} 2');
  const listed = (await api.call('pipelines.list', { as: admin })).json().data;
  const byName = Object.fromEntries(listed.map((each: { name: string }) => [each.name, each]));
  expect([byName.steady.counts, byName.failing.counts]).toEqual([expected.steady, expected.failing]);
  expect(byName.steady).toMatchObject({
    accepts: expect.arrayContaining(['csv', 'xlsx']),
    takes: 'An export of Meta, Google or TikTok ads',
    fields: expect.arrayContaining(['platform', 'client_id']),
  });
  expect(byName.failing).toMatchObject({ accepts: [], takes: null, fields: [] });
});

it('keeps a count that took long for longer, at most a minute, and no other', () => {
  expect([keepMs(5), keepMs(99), keepMs(200), keepMs(5_000)]).toEqual([0, 0, 20_000, 60_000]);
});

// The Runs API on a real engine: lists, one run with everything about it, what may be done with it, bulk, dead letters.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildApiKey, buildTenant, buildUser, type TestUser, useApi } from '../../test/support/api.ts';
import { tamper, useDatabase } from '../../test/support/database.ts';
import { buildEngine, buildPipeline } from '../../test/support/engine.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import type { Engine } from '../engine/engine.ts';

const db = useDatabase();
let engine: Engine & { close(): Promise<void> };
let release: (() => void) | undefined;

const receipt = { read: 3, outcomes: { inserted: 2, rejected: 1 } };
const steady = buildPipeline(
  'steady',
  async (context) => {
    context.progress({ done: 3, total: 3, unit: 'rows' });
    context.reject({
      line: 4,
      byteOffset: 90,
      column: 'spend',
      code: 'not_a_number',
      message: 'spend is not a number',
      value: 'abc',
      cause: 'spend:not_a_number',
      item: { spend: 'abc', day: '2026-01-01' },
    });
    await context.commit(async () => undefined);
    return { on: 'complete', receipt };
  },
  { recount: async () => receipt },
);
const failing = buildPipeline('failing', async () => {
  throw new MillraceError('input_invalid', { pipeline: 'failing', reason: 'broken' });
});
const doomed = buildPipeline('doomed', async () => {
  throw new MillraceError('unauthenticated');
});
const slow = buildPipeline('slow', async (context) => {
  await new Promise<void>((resolve, reject) => {
    release = resolve;
    context.signal.addEventListener('abort', () => reject(context.signal.reason));
  });
  return { on: 'complete', receipt: { read: 0 } };
});

beforeAll(async () => {
  engine = await buildEngine(db.appUrl, [steady, failing, doomed, slow]);
  await engine.start();
});
afterAll(() => engine.close());

const api = useApi(db, () => ({ engine }));
let tenantId = '';
let admin: TestUser;
let user: TestUser;
let support: TestUser;

beforeAll(async () => {
  tenantId = await buildTenant(db);
  [admin, user, support] = await Promise.all([
    buildUser(db, tenantId, 'admin'),
    buildUser(db, tenantId, 'user'),
    buildUser(db, tenantId, 'support'),
  ]);
});

const enqueue = async (pipeline: string, more: object = {}) =>
  (await engine.enqueue({ pipeline, tenantId, input: { title: `${pipeline}.csv` }, ...more })).id;
const show = async (runId: string, as: TestUser = admin) =>
  (await api.call('runs.show', { as, params: { run_id: runId } })).json();
const until = (runId: string, phase: string) =>
  waitFor(async () => {
    const run = await show(runId);
    return run.phase === phase ? run : undefined;
  });

describe('one run', () => {
  it('done: shows receipt, stage with queue wait and work, attempt, rejects, and what may be done', async () => {
    const run = await until(await enqueue('steady', { createdBy: user.userId }), 'done');
    expect(run).toMatchObject({
      pipeline: 'steady',
      status: 'completed',
      title: 'steady.csv',
      receipt,
      rejects: { total: 1, open: 1 },
      created_by: user.email,
      actions: ['verify'],
      next: null,
      wait: null,
      stages: [{ stage: 'work', state: 'done', attempts: 1 }],
      attempts: [{ attempt: 1, stage: 'work', outcome: 'complete', error: null }],
    });
    expect(run.stages[0].queue_wait_ms).toBeGreaterThanOrEqual(0);
    expect(run.stages[0].work_ms).toBeGreaterThanOrEqual(0);
  });

  it('names who made it: a person by address, a program by the name of its API key, and another tenant’s by nothing but its id', async () => {
    const { keyId } = await buildApiKey(db, tenantId, ['runs:read']);
    const { keyId: foreign } = await buildApiKey(db, await buildTenant(db, 'Stranger'), ['runs:read']);
    const made = await Promise.all([user.userId, keyId, foreign].map((createdBy) => enqueue('steady', { createdBy })));
    await Promise.all(made.map((runId) => until(runId, 'done')));
    const { data } = (await api.call('runs.list', { as: admin })).json();
    const listed = made.map((runId) => data.find((run: { run_id: string }) => run.run_id === runId).created_by);
    expect(listed).toEqual([user.email, 'test', foreign]);
    expect(await Promise.all(made.map(async (runId) => (await show(runId)).created_by))).toEqual(listed);
  });

  it('waiting and held: says why it waits and what happens next; resume lets it go', async () => {
    const runId = await enqueue('steady', { availableAt: new Date(Date.now() + 3_600_000) });
    expect(await show(runId)).toMatchObject({
      phase: 'waiting',
      wait: { code: 'later', until: expect.any(String) },
      next: expect.stringContaining('Stage "work" starts at'),
      actions: ['hold', 'cancel'],
    });
    const params = { run_id: runId };
    const held = await api.call('runs.hold', { as: user, params, body: {} });
    expect(held.json()).toEqual({ run_id: runId, status: 'queued', phase: 'waiting' });
    expect(await show(runId)).toMatchObject({
      wait: { code: 'held' },
      actions: ['resume', 'cancel'],
      held: { by: user.email },
    });
    expect((await api.call('runs.hold', { as: user, params })).json()).toMatchObject({
      status: 409,
      code: 'event_illegal',
    });
    expect((await api.call('runs.resume', { as: user, params })).statusCode).toBe(200);
    await until(runId, 'done');
  });

  it('failed: names the error; retry makes one linked run however often it is asked for', async () => {
    const runId = await enqueue('failing');
    expect(await until(runId, 'failed')).toMatchObject({ error: { code: 'input_invalid' }, actions: ['retry'] });
    const params = { run_id: runId };
    const answers = await Promise.all([1, 2, 3].map(() => api.call('runs.retry', { as: user, params })));
    const successors = new Set(answers.map((answer) => answer.json().run_id));
    expect(answers.map((answer) => answer.statusCode)).toEqual([202, 202, 202]);
    expect(successors.size).toBe(1);
    const [successor] = successors;
    expect(await show(runId)).toMatchObject({ retried_as: successor, actions: [] });
    expect(await show(successor)).toMatchObject({ retry_of: runId });
  });

  it('active: can be cancelled, and ends with the code run_cancelled', async () => {
    const runId = await enqueue('slow');
    expect(await until(runId, 'active')).toMatchObject({ actions: ['cancel'], stages: [{ state: 'active' }] });
    await api.call('runs.cancel', { as: user, params: { run_id: runId } });
    expect(await until(runId, 'failed')).toMatchObject({ error: { code: 'run_cancelled' } });
    release?.();
  });

  it('verify recounts; events and attempts are listed in order', async () => {
    const runId = await enqueue('steady');
    await until(runId, 'done');
    const params = { run_id: runId };
    const verified = await api.call('runs.verify', { as: user, params });
    expect(verified.json()).toMatchObject({ matches: true, receipt, recount: receipt, differences: [] });
    const events = await waitFor(async () => {
      const { data } = (await api.call('runs.events', { as: user, params })).json();
      return data.length > 0 ? data : undefined;
    });
    expect(events).toMatchObject([
      { type: 'run.done', run_id: runId, pipeline: 'steady', position: expect.any(String) },
    ]);
    const attempts = (await api.call('runs.attempts', { as: user, params })).json();
    expect(attempts).toMatchObject({ data: [{ attempt: 1 }], next: null });
  });
});

describe('the list', () => {
  it('pages through everything once, newest first, and filters by pipeline, status, phase, time and title', async () => {
    const other = await buildTenant(db, 'List');
    const reader = await buildUser(db, other, 'user');
    const made: string[] = [];
    for (let n = 0; n < 7; n++) {
      const pipeline = n % 2 ? 'failing' : 'steady';
      made.push(
        (await engine.enqueue({ pipeline, tenantId: other, input: { title: `File ${n}.csv`, source: 'api' } })).id,
      );
    }
    await waitFor(async () => {
      const { data } = (await api.call('runs.list', { as: reader })).json();
      return data.every((run: { finished_at: string | null }) => run.finished_at !== null);
    });
    const ids = async (query: Record<string, string>) => {
      const found: string[] = [];
      let after: string | null = null;
      do {
        const asked: Record<string, string> = { ...query, ...(after ? { after } : {}) };
        const page = (await api.call('runs.list', { as: reader, query: asked })).json();
        found.push(...page.data.map((run: { run_id: string }) => run.run_id));
        after = page.next;
      } while (after);
      return found;
    };
    const newestFirst = [...made].reverse();
    expect(await ids({ limit: '3' })).toEqual(newestFirst);
    expect(await ids({ limit: '2', pipeline: 'failing' })).toEqual(newestFirst.filter((_, n) => n % 2 === 1));
    expect(await ids({ phase: 'failed', limit: '2' })).toEqual(newestFirst.filter((_, n) => n % 2 === 1));
    expect(await ids({ status: 'completed' })).toEqual(newestFirst.filter((_, n) => n % 2 === 0));
    expect(await ids({ phase: 'waiting,active' })).toEqual([]);
    expect(await ids({ q: 'file 3' })).toEqual([made[3]]);
    expect(await ids({ q: made[5] ?? '' })).toEqual([made[5]]);
    expect(await ids({ source: 'api,folder' })).toHaveLength(7);
    expect(await ids({ source: 'folder' })).toEqual([]);
    expect(await ids({ source: 'replay' })).toEqual([]);
    expect(await ids({ since: new Date(Date.now() + 1000).toISOString() })).toEqual([]);
    expect(await ids({ until: new Date(Date.now() + 1000).toISOString() })).toHaveLength(7);
  });

  it('says where a run came from without telling paths of the server, and finds it by what it says or by its kind', async () => {
    const other = await buildTenant(db, 'Sources');
    const reader = await buildUser(db, other, 'user');
    const make = async (sourceId: string | undefined, input: object = {}) =>
      (
        await engine.enqueue({
          pipeline: 'steady',
          tenantId: other,
          input: { ...input },
          ...(sourceId === undefined ? {} : { sourceId }),
        })
      ).id;
    const made = {
      'folder:inbox': await make('folder:/srv/secret/inbox', { source: 'manual' }),
      'folder:drop/': await make('folder:/srv/secret/drop/'),
      'schedule:nightly': await make('schedule:nightly'),
      replay: await make('folder:/srv/secret/inbox', { replay_of: other }),
      api: await make(undefined, { source: 'api' }),
    };
    const list = async (query: Record<string, string> = {}) =>
      (await api.call('runs.list', { as: reader, query })).json().data as { run_id: string; source: string }[];
    const all = await list();
    expect(Object.fromEntries(all.map((run) => [run.source, run.run_id]))).toEqual(made);
    expect(JSON.stringify(all)).not.toContain('secret');
    for (const [source, runId] of Object.entries(made))
      expect((await list({ source })).map((run) => run.run_id)).toEqual([runId]);
    expect((await list({ source: 'folder,schedule' })).map((run) => run.run_id)).toEqual([
      made['schedule:nightly'],
      made['folder:drop/'],
      made['folder:inbox'],
    ]);
    expect((await api.call('runs.show', { as: reader, params: { run_id: made['folder:inbox'] } })).body).not.toContain(
      'secret',
    );
  });

  it('phase=waiting finds queued, planned and held runs of the tenant only', async () => {
    const other = await buildTenant(db, 'Waiting');
    const reader = await buildUser(db, other, 'user');
    const availableAt = new Date(Date.now() + 3_600_000);
    const plan = async (tenant: string) =>
      (await engine.enqueue({ pipeline: 'steady', tenantId: tenant, input: {}, availableAt })).id;
    const [one, two] = [await plan(other), await plan(other)];
    await plan(tenantId);
    await api.call('runs.hold', { as: reader, params: { run_id: one } });
    const { data } = (await api.call('runs.list', { as: reader, query: { phase: 'waiting' } })).json();
    expect(data.map((run: { run_id: string }) => run.run_id)).toEqual([two, one]);
  });
});

describe('bulk', () => {
  it('counts first, acts on exactly that many, and on none when the count has changed', async () => {
    const other = await buildTenant(db, 'Bulk');
    const reader = await buildUser(db, other, 'user');
    const availableAt = new Date(Date.now() + 3_600_000);
    for (let n = 0; n < 4; n++) await engine.enqueue({ pipeline: 'steady', tenantId: other, input: {}, availableAt });
    const bulk = async (more: object) =>
      (
        await api.call('runs.bulk', { as: reader, body: { action: 'cancel', filter: { pipeline: 'steady' }, ...more } })
      ).json();
    const preview = await bulk({ preview: true });
    expect(preview).toMatchObject({ preview: true, count: 4, changed: 0 });
    expect(preview.sample).toHaveLength(4);
    expect(await bulk({})).toMatchObject({ code: 'bulk_count_missing' });
    expect(await bulk({ expected: 3 })).toMatchObject({ status: 409, code: 'bulk_count_changed' });
    expect(await bulk({ expected: 4 })).toMatchObject({ count: 4, changed: 4, skipped: [] });
    expect(await bulk({ preview: true })).toMatchObject({ count: 0 });
    expect(await bulk({ action: 'requeue', preview: true })).toMatchObject({ status: 403, code: 'forbidden' });
  });
});

describe('dead letters and support', () => {
  it('support sees dead letters and nothing else; support and an admin requeue one for a ticket, once, a user does not', async () => {
    const runId = await enqueue('doomed');
    await waitFor(async () => (await show(runId)).finished_at);
    await db.admin.query(`select 1 from engine.runs where id = $1 and phase = 'dead'`, [runId]);
    expect(await show(runId)).toMatchObject({ phase: 'dead', actions: ['requeue', 'acknowledge'] });
    const done = await until(await enqueue('steady'), 'done');
    expect((await show(done.run_id, support)).code).toBe('run_not_found');
    expect(await show(runId, support)).toMatchObject({ phase: 'dead', actions: ['requeue', 'acknowledge'] });
    const listed = (await api.call('runs.list', { as: support })).json();
    expect(listed.data.every((run: { phase: string }) => run.phase === 'dead')).toBe(true);
    expect((await api.call('runs.retry', { as: admin, params: { run_id: runId } })).statusCode).toBe(403);
    const requeue = (as: TestUser) =>
      api.call('runs.requeue', { as, params: { run_id: runId }, body: { ticket: 'T-1' } });
    expect((await requeue(user)).json().code).toBe('forbidden');
    const first = await requeue(admin);
    expect(first.statusCode).toBe(202);
    expect((await requeue(support)).json().code).toBe('run_already_retried');
    const letters = (await api.call('dead-letters.list', { as: support })).json();
    expect(letters.data.map((run: { run_id: string }) => run.run_id)).not.toContain(runId);
    const log = (await api.call('operate.audit', { as: admin, query: { action: 'runs.requeue' } })).json();
    expect(log.data).toMatchObject([
      { outcome: 'done', target: runId, actor: admin.email, data: { ticket: 'T-1', successor: first.json().run_id } },
      { outcome: 'denied', actor: user.email },
    ]);
  });
});

describe('the pace of the last hour', () => {
  it('is told by pipeline: time, items a second, share of failures, attempts told to wait', async () => {
    const { body } = await api.server.inject('/metrics');
    const figure = (name: string, pipeline: string) =>
      Number(new RegExp(`^millrace_${name}\\{pipeline="${pipeline}"\\} (\\S+)$`, 'm').exec(body)?.[1]);
    expect(figure('run_seconds', 'steady')).toBeGreaterThan(0);
    expect(figure('items_per_second', 'steady')).toBeGreaterThan(0);
    expect([figure('run_error_ratio', 'steady'), figure('run_error_ratio', 'failing')]).toEqual([0, 1]);
    expect(figure('throttled_attempts', 'steady')).toBe(0);
    expect(figure('run_not_found_ratio', 'failing')).toBe(0);
    expect(body).not.toContain('millrace_run_seconds{pipeline="failing"}');
    expect(body).toMatch(/^millrace_pool_wait_seconds\{pool="api"\} 0\.\d+/m);
  });

  it('tells how many failed because something was not found', async () => {
    await tamper(db.admin, `update engine.runs set error_code = 'connector_not_found' where pipeline = 'failing'`);
    const { body } = await api.server.inject('/metrics');
    expect(body).toContain('millrace_run_not_found_ratio{pipeline="failing"} 1');
    expect(body).toContain('millrace_run_not_found_ratio{pipeline="steady"} 0');
  });
});

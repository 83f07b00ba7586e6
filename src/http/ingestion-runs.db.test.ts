// Ingestion runs over HTTP: the shape of one, pages by number and by cursor over the same ledger, retry.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildTenant, buildUser, type TestUser, useApi } from '../../test/support/api.ts';
import { useDatabase } from '../../test/support/database.ts';
import { buildEngine, buildPipeline } from '../../test/support/engine.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import type { Engine } from '../engine/engine.ts';
import { uuidv7 } from '../platform/ids.ts';

const db = useDatabase();
let engine: Engine & { close(): Promise<void> };
const steady = buildPipeline('steady', async () => ({
  on: 'complete',
  receipt: { read: 3, outcomes: { inserted: 2, rejected: 1 } },
}));
const failing = buildPipeline('failing', async () => {
  throw new MillraceError('input_invalid', { pipeline: 'failing', reason: 'broken' });
});
const doomed = buildPipeline('doomed', async () => {
  throw new MillraceError('unauthenticated');
});

beforeAll(async () => {
  engine = await buildEngine(db.appUrl, [steady, failing, doomed]);
  await engine.start();
});
afterAll(() => engine.close());

const api = useApi(db, () => ({ engine }));
let tenantId = '';
let user: TestUser;
let support: TestUser;
beforeAll(async () => {
  tenantId = await buildTenant(db);
  [user, support] = await Promise.all([buildUser(db, tenantId, 'user'), buildUser(db, tenantId, 'support')]);
});

type Run = { run_id: string; status: string };
const enqueue = async (pipeline: string, more: object = {}) =>
  (await engine.enqueue({ pipeline, tenantId, input: {}, createdBy: user.userId, ...more })).id;
const show = async (runId: string, as: TestUser = user) =>
  (await api.call('ingestion-runs.show', { as, params: { run_id: runId } })).json();
const list = async (query: Record<string, string> = {}, as: TestUser = user) =>
  (await api.call('ingestion-runs.list', { as, query })).json();
const idsOf = (page: { data: Run[] }) => page.data.map((run) => run.run_id);
const until = (runId: string, status: string) =>
  waitFor(async () => {
    const run = await show(runId);
    return run.status === status ? run : undefined;
  });
const later = () => new Date(Date.now() + 3_600_000);

describe('one ingestion run', () => {
  it('tells of the file that was uploaded, who did it, and the receipt, in the agreed shape', async () => {
    const blobId = uuidv7();
    await db.admin.query(
      `insert into engine.blobs (blob_id, tenant_id, store_key, sha256, bytes, media_type, format, original_name, stored_at, keep_until)
       values ($1, $2, 'secret/place/of.csv', decode(repeat('ab', 32), 'hex'), 1234, 'text/csv', 'csv', 'june.csv', now(), now())`,
      [blobId, tenantId],
    );
    const runId = await enqueue('steady', { blobId, input: { title: 'June' } });
    const run = await until(runId, 'succeeded');
    expect(run).toEqual({
      run_id: runId,
      tenant_id: tenantId,
      status: 'succeeded',
      run_type: 'manual_upload',
      pipeline: 'steady',
      created_at: expect.stringMatching(/Z$/),
      started_at: expect.stringMatching(/Z$/),
      finished_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
      config: {
        source_type: 'upload',
        created_by_user_id: user.userId,
        upload_uri: `/v1/uploads/${runId}/original`,
        title: 'June',
        original_filename: 'june.csv',
        content_type: 'text/csv',
        file_size_bytes: 1234,
        content_hash: `sha256:${'ab'.repeat(32)}`,
        retry_of: null,
        retried_as: null,
        replay_of: null,
      },
      stats: { read: 3, inserted: 2, rejected: 1 },
      error: null,
      error_code: null,
      held: false,
      attempts: 1,
      work_run_id: runId,
    });
    expect(JSON.stringify(run)).not.toContain('secret/place');
  });

  it('made by a program, it names no user', async () => {
    expect((await show(await enqueue('steady', { createdBy: uuidv7() }))).config.created_by_user_id).toBeNull();
  });

  it('waits, is held, is cancelled: queued, queued and held, failed with the reason', async () => {
    const runId = await enqueue('steady', { availableAt: later() });
    const params = { run_id: runId };
    expect(await show(runId)).toMatchObject({ status: 'queued', held: false, started_at: null, stats: null });
    await api.call('runs.hold', { as: user, params });
    expect(await show(runId)).toMatchObject({ status: 'queued', held: true });
    await api.call('runs.cancel', { as: user, params });
    expect(await show(runId)).toMatchObject({
      status: 'failed',
      error_code: 'run_cancelled',
      error: expect.stringContaining('cancelled'),
    });
  });
});

describe('the list', () => {
  let reader: TestUser;
  let made: string[] = [];
  beforeAll(async () => {
    const tenant = await buildTenant(db, 'Pages');
    reader = await buildUser(db, tenant, 'user');
    const make = async (pipeline: string, more: object = {}) =>
      (await engine.enqueue({ pipeline, tenantId: tenant, input: {}, ...more })).id;
    const ended: string[] = [];
    for (let n = 0; n < 7; n++) ended.push(await make(n % 2 ? 'failing' : 'steady'));
    const waiting = [await make('steady', { availableAt: later() }), await make('steady', { availableAt: later() })];
    made = [...ended, ...waiting].reverse();
    await waitFor(async () => (await list({ status: 'succeeded,failed' }, reader)).total === 7);
  });

  it('has page 1 of 20 without being asked, newest first, and says how much there is', async () => {
    const page = await list({}, reader);
    expect(idsOf(page)).toEqual(made);
    expect(page).toMatchObject({ page: 1, limit: 20, total: 9, total_pages: 1, total_is_exact: true, next: null });
  });

  it('page by page every run comes once; the page behind the last is empty', async () => {
    const pages = await Promise.all(['1', '2', '3', '4'].map((page) => list({ page, limit: '4' }, reader)));
    expect(pages.flatMap(idsOf)).toEqual(made);
    expect(pages.map((page) => [page.data.length, page.total_pages])).toEqual([
      [4, 3],
      [4, 3],
      [1, 3],
      [0, 3],
    ]);
  });

  it('the cursor of a page goes on behind it, and by cursor nothing is counted', async () => {
    const { next } = await list({ page: '2', limit: '3' }, reader);
    const rest = await list({ after: next, limit: '3' }, reader);
    expect(idsOf(rest)).toEqual(made.slice(6));
    expect(rest).toMatchObject({ page: null, total: null, total_pages: null, total_is_exact: null, next: null });
  });

  it.each([
    ['queued', 2],
    ['running', 0],
    ['succeeded', 4],
    ['failed', 3],
    ['queued,failed', 5],
  ])('status=%s finds %i, by page as by cursor', async (status, count) => {
    const page = await list({ status, limit: '2' }, reader);
    expect([page.total, page.total_is_exact]).toEqual([count, true]);
    const found = [...idsOf(page)];
    for (let after = page.next; after !== null; ) {
      const more = await list({ status, limit: '2', after }, reader);
      found.push(...idsOf(more));
      after = more.next;
    }
    expect(new Set(found).size).toBe(count);
    const second = await list({ status, limit: '2', page: '2' }, reader);
    expect(idsOf(second)).toEqual(found.slice(2, 4));
    const wanted = status.split(',');
    expect([...page.data, ...second.data].every((run: Run) => wanted.includes(run.status))).toBe(true);
  });

  it.each([
    [{ page: '2', after: 'x' }, 'page_with_cursor'],
    [{ page: '501', limit: '20' }, 'page_too_deep'],
    [{ page: '9007199254740991', limit: '100' }, 'page_too_deep'],
    [{ after: 'x' }, 'cursor_malformed'],
    [{ page: '0' }, 'request_invalid'],
    [{ page: '1.5' }, 'request_invalid'],
    [{ limit: '101' }, 'request_invalid'],
    [{ status: 'done' }, 'request_invalid'],
  ])('%j is refused with %s', async (query, code) => {
    expect(await list(query as Record<string, string>, reader)).toMatchObject({ status: 400, code });
  });

  it('of a ledger larger than the reach it counts the reach and says so; the last page that is promised is there', async () => {
    const tenant = await buildTenant(db, 'Large');
    const watcher = await buildUser(db, tenant, 'user');
    await db.admin.query(
      `insert into engine.runs (id, tenant_id, pipeline, status, phase, lane, input, receipt, finished_at)
       select (lpad(to_hex(1700000000000 + n), 12, '0') || '70008000' || lpad(to_hex(n), 12, '0'))::uuid, $1::uuid, 'steady',
              'completed', 'done', $1::text, '{}', '{"read": 0}', engine.now()
       from generate_series(1, 10100) n`,
      [tenant],
    );
    for (const query of [{}, { status: 'succeeded' }] as Record<string, string>[]) {
      const first = await list({ ...query, limit: '30' }, watcher);
      expect(first).toMatchObject({ total: 10_000, total_is_exact: false, total_pages: 334 });
      const last = await list({ ...query, limit: '30', page: '334' }, watcher);
      expect(last.data).toHaveLength(30);
      const beyond = await list({ ...query, limit: '100', after: last.next }, watcher);
      expect([beyond.data.length, beyond.next]).toEqual([80, null]);
    }
  });
});

describe('support', () => {
  it('sees dead letters and nothing else, in the list and one by one', async () => {
    const dead = await enqueue('doomed');
    await waitFor(async () => (await show(dead)).finished_at);
    const done = await until(await enqueue('steady'), 'succeeded');
    expect(idsOf(await list({}, support))).toEqual([dead]);
    expect(idsOf(await list({ status: 'failed' }, support))).toEqual([dead]);
    expect(await list({ status: 'succeeded,queued' }, support)).toMatchObject({ data: [], total: 0, next: null });
    expect((await show(done.run_id, support)).code).toBe('run_not_found');
    expect(await show(dead, support)).toMatchObject({ status: 'failed', error_code: 'unauthenticated' });
  });
});

describe('retry', () => {
  const retry = (runId: string, more: object = {}) =>
    api.call('ingestion-runs.retry', { as: user, params: { run_id: runId }, ...more });

  it('makes one linked run however often it is asked for, answers with it, and is in the audit log', async () => {
    const runId = await enqueue('failing');
    await until(runId, 'failed');
    const answers = await Promise.all([1, 2, 3].map(() => retry(runId)));
    expect(answers.map((answer) => answer.statusCode)).toEqual([202, 202, 202]);
    expect(new Set(answers.map((answer) => answer.json().run_id)).size).toBe(1);
    expect(answers[0]?.json()).toMatchObject({ run_type: 'retry', config: { retry_of: runId } });
    const { rows } = await db.admin.query(
      `select actor_id, target from audit_log where action = 'ingestion-runs.retry' and tenant_id = $1`,
      [tenantId],
    );
    expect(rows[0]).toEqual({ actor_id: user.userId, target: runId });
  });

  it('under an Idempotency-Key a repetition gets the same answer', async () => {
    const runId = await enqueue('failing');
    await until(runId, 'failed');
    const headers = { 'idempotency-key': uuidv7() };
    const [first, again] = [await retry(runId, { headers }), await retry(runId, { headers })];
    expect([again.body, again.headers['idempotent-replayed']]).toEqual([first.body, 'true']);
  });

  it('refuses a run that has not failed, a dead letter, and support', async () => {
    const done = await until(await enqueue('steady'), 'succeeded');
    expect((await retry(done.run_id)).json()).toMatchObject({ status: 409, code: 'event_illegal' });
    const dead = await enqueue('doomed');
    await until(dead, 'failed');
    expect((await retry(dead)).json()).toMatchObject({ status: 403, code: 'forbidden' });
    expect((await retry(dead, { as: support })).json()).toMatchObject({ status: 403, code: 'forbidden' });
    expect((await retry(uuidv7())).json()).toMatchObject({ status: 404, code: 'run_not_found' });
  });
});

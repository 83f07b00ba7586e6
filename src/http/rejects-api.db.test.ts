// Rejects over HTTP: clusters with their fix, corrections that are checked at once, the download; and what an operator looks at.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildTenant, buildUser, type TestUser, useApi } from '../../test/support/api.ts';
import { useDatabase } from '../../test/support/database.ts';
import { buildEngine, buildPipeline } from '../../test/support/engine.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import type { Engine } from '../engine/engine.ts';
import type { RejectTools } from './reject-tools/reject-tools.ts';
import { MOST_COUNTED } from './run-views/list-view.ts';

const db = useDatabase();
let engine: Engine & { close(): Promise<void> };
const bad = ['13/02/2026', '14/02/2026', '=cmd|x'];
const sheet = buildPipeline('sheet', async (context) => {
  bad.forEach((day, index) => {
    const isDate = index < 2;
    context.reject({
      line: index + 2,
      byteOffset: 10 * index,
      column: isDate ? 'day' : 'name',
      code: isDate ? 'date_malformed' : 'name_unusable',
      message: isDate ? 'day is not a date' : 'name is not usable',
      value: day,
      cause: isDate ? 'day:99/99/9999' : 'name',
      ...(isDate ? { suggestion: { fix: { kind: 'date_order', order: 'dmy' }, label: 'looks like DD/MM/YYYY' } } : {}),
      item: { day, spend: '-1.50' },
    });
  });
  await context.commit(async () => undefined);
  return { on: 'part', receipt: { read: 3, outcomes: { rejected: 3 } } };
});
const replays: unknown[] = [];
const tools: RejectTools = {
  header: async () => ({ names: ['day', 'spend'], isEscaped: false, decimal: '.' }),
  check: async (_run, rows) =>
    rows.map(({ day }) =>
      /^\d{4}-\d\d-\d\d$/.test(day ?? '')
        ? []
        : [{ column: 'day', code: 'date_malformed', message: 'still not a date', value: day ?? null }],
    ),
  replay: async (run, which, { idempotencyKey }) => {
    replays.push([which, idempotencyKey]);
    const made = await engine.enqueue({ pipeline: 'sheet', tenantId: run.tenant_id, input: {} });
    return { runId: made.id, rows: 2 };
  },
};

beforeAll(async () => {
  engine = await buildEngine(db.appUrl, [sheet]);
  await engine.start();
});
afterAll(() => engine.close());
const api = useApi(db, () => ({ engine, pipelines: { sheet: { rejects: tools } } }));
let user: TestUser;
let admin: TestUser;
let run_id = '';

beforeAll(async () => {
  const tenantId = await buildTenant(db);
  [user, admin] = [await buildUser(db, tenantId, 'user'), await buildUser(db, tenantId, 'admin')];
  run_id = (await engine.enqueue({ pipeline: 'sheet', tenantId, input: { title: 'june.csv' } })).id;
  await waitFor(async () => (await engine.run(tenantId, run_id)).finished_at);
});

const list = async (query: Record<string, string> = {}) =>
  (await api.call('rejects.list', { as: user, params: { run_id }, query })).json();

describe('rejects', () => {
  it('are listed in file order with everything that is wrong with them, by page, cluster, code and status', async () => {
    const page = await list({ limit: '2' });
    expect(page.data).toMatchObject([
      { line: 2, column: 'day', code: 'date_malformed', value: '13/02/2026', status: 'open', raw: { spend: '-1.50' } },
      { line: 3 },
    ]);
    expect((await list({ limit: '2', after: page.next })).data).toMatchObject([{ line: 4 }]);
    expect(await list({ limit: '1', skip: '1' })).toMatchObject({ data: [{ line: 3 }], next: expect.any(String) });
    expect(await list({ skip: '2' })).toMatchObject({ data: [{ line: 4 }], next: null });
    expect((await list({ skip: '3' })).data).toEqual([]);
    expect((await list({ cluster: 'name' })).data).toHaveLength(1);
    expect((await list({ code: 'date_malformed' })).data).toHaveLength(2);
    expect((await list({ status: 'replayed,resolved' })).data).toHaveLength(0);
  });

  it('form clusters by cause, the largest first, with the fix that is evident', async () => {
    const { data } = (await api.call('rejects.clusters', { as: user, params: { run_id } })).json();
    expect(data).toMatchObject([
      {
        cluster: 'day:99/99/9999',
        count: 2,
        open: 2,
        examples: [{ line: 2, value: '13/02/2026' }, { line: 3 }],
        fix: { kind: 'date_order', column: 'day', label: 'looks like DD/MM/YYYY', params: { order: 'dmy' } },
      },
      { cluster: 'name', count: 1, fix: null },
    ]);
  });

  it('a fix is previewed, then applied to every open row of the cluster', async () => {
    const body = { cluster: 'day:99/99/9999', fix: { kind: 'date_order', column: 'day', params: { order: 'dmy' } } };
    const apply = async (more: object) =>
      (await api.call('rejects.correct-cluster', { as: user, params: { run_id }, body: { ...body, ...more } })).json();
    expect(await apply({ preview: true })).toMatchObject({
      matched: 2,
      valid: 2,
      preview: true,
      sample: [{ line: 2, before: '13/02/2026', after: '2026-02-13' }, { line: 3 }],
    });
    expect((await list({ status: 'corrected' })).data).toHaveLength(0);
    expect(await apply({})).toMatchObject({ matched: 2, valid: 2, still_faulty: 0, preview: false });
    expect((await list({ status: 'corrected' })).data[0]).toMatchObject({
      raw: { day: '13/02/2026' },
      correction: { cells: { day: '2026-02-13' }, by: user.email, faults: [] },
    });
    expect(await apply({ fix: { kind: 'rm -rf', column: 'day' } })).toMatchObject({ code: 'fix_unknown' });
  });

  it('one row is corrected in place: checked at once, kept as open while it is still wrong, taken back by nothing', async () => {
    const [reject] = (await list({ cluster: 'name' })).data;
    const correct = async (cells: object) =>
      (
        await api.call('rejects.correct', { as: user, params: { run_id, reject_id: reject.id }, body: { cells } })
      ).json();
    expect(await correct({ day: 'tomorrow' })).toMatchObject({
      valid: false,
      faults: [{ code: 'date_malformed', value: 'tomorrow' }],
      reject: { status: 'open', correction: { cells: { day: 'tomorrow' } } },
    });
    expect(await correct({ day: '2026-02-15' })).toMatchObject({ valid: true, reject: { status: 'corrected' } });
    const taken = await correct({});
    expect(taken).toMatchObject({ valid: false, reject: { status: 'open' } });
    expect(taken.reject.correction).toBeUndefined();
  });

  it('the download has the file’s columns, the corrections, and row, code and message; no cell can run in a spreadsheet', async () => {
    const answer = await api.call('rejects.download', { as: user, params: { run_id } });
    expect(answer.headers['content-type']).toContain('text/csv');
    expect(answer.headers['content-disposition']).toMatch(/^attachment; filename="rejects-/);
    expect(answer.body.replace('\uFEFF', '').split('\r\n')).toEqual([
      'day,spend,millrace_line,millrace_code,millrace_message',
      '2026-02-13,-1.50,2,date_malformed,day is not a date',
      '2026-02-14,-1.50,3,date_malformed,day is not a date',
      "'=cmd|x,-1.50,4,name_unusable,name is not usable",
      '',
    ]);
  });

  it('replay starts a run over the corrected rows and passes the idempotency key on', async () => {
    const detail = (await api.call('runs.show', { as: user, params: { run_id } })).json();
    expect(detail).toMatchObject({ actions: ['replay'], rejects: { total: 3, open: 1 } });
    const answer = await api.call('rejects.replay', {
      as: user,
      params: { run_id },
      headers: { 'idempotency-key': 'replay-1' },
    });
    expect(answer.statusCode).toBe(202);
    expect(answer.json()).toMatchObject({ run_id: expect.any(String), rows: 2 });
    expect(replays).toEqual([[{ rejectIds: undefined, takesOpen: false }, 'replay-1']]);
    await waitFor(async () => (await engine.run(admin.tenantId, answer.json().run_id)).finished_at);
  });

  it('lists say how many refused rows of a run are still open: all, some, none, or more than they count', async () => {
    const seen = async () => {
      const { data } = (await api.call('runs.list', { as: user })).json();
      return data.find((run: { run_id: string }) => run.run_id === run_id).rejects;
    };
    expect(await seen()).toEqual({ total: 3, open: 1 });
    const set = (status: string) =>
      db.admin.query('update engine.rejects set status = $2 where run_id = $1', [run_id, status]);
    await set('open');
    expect(await seen()).toEqual({ total: 3, open: 3 });
    await set('replayed');
    expect(await seen()).toEqual({ total: 3, open: 0 });
    const more = `insert into engine.rejects (tenant_id, run_id, code, message, cause, item) select $1, $2, 'x', 'x', 'x', '{}' from generate_series(1, $3)`;
    await db.admin.query(more, [admin.tenantId, run_id, MOST_COUNTED]);
    expect(await seen()).toEqual({ total: 3, open: MOST_COUNTED });
    await db.admin.query(more, [admin.tenantId, run_id, 1]);
    expect(await seen()).toEqual({ total: 3, open: null });
    const others = await engine.enqueue({ pipeline: 'sheet', tenantId: await buildTenant(db, 'Other'), input: {} });
    await db.admin.query(`delete from engine.rejects where run_id = $1 and code = 'x'`, [run_id]);
    await db.admin.query(
      `update engine.rejects set tenant_id = (select tenant_id from engine.all_runs where id = $2) where run_id = $1`,
      [run_id, others.id],
    );
    expect(await seen(), 'rows of another tenant are not counted').toEqual({ total: 3, open: 0 });
  });
});

describe('operating', () => {
  it('pipelines come with their machines; a tenant’s pause stops its own line only', async () => {
    const { data } = (await api.call('pipelines.list', { as: user })).json();
    expect(data).toMatchObject([{ name: 'sheet', paused: null, stages: ['work'], machine: { initial: 'queued' } }]);
    const params = { pipeline: 'sheet' };
    expect((await api.call('pipelines.pause', { as: user, params })).statusCode).toBe(403);
    const paused = (await api.call('pipelines.pause', { as: admin, params })).json();
    expect(paused.paused).toMatchObject({ by: admin.email, scope: 'tenant' });
    const stranger = await buildUser(db, await buildTenant(db, 'Stranger'), 'admin');
    expect((await api.call('pipelines.list', { as: stranger })).json().data[0].paused).toBeNull();
    const waiting = (await engine.enqueue({ pipeline: 'sheet', tenantId: admin.tenantId, input: {} })).id;
    const { data: lanes } = (await api.call('operate.lanes', { as: user })).json();
    expect(lanes).toMatchObject([
      { pipeline: 'sheet', waiting: 1, paused: true, wait: expect.stringContaining('paused') },
    ]);
    expect((await api.call('pipelines.resume', { as: admin, params })).json().paused).toBeNull();
    await waitFor(async () => (await engine.run(admin.tenantId, waiting)).finished_at);
    const unknown = await api.call('pipelines.pause', { as: admin, params: { pipeline: 'none' } });
    expect(unknown.json().code).toBe('pipeline_unknown');
  });

  it('workers, schedules and figures are shown', async () => {
    await engine.saveSchedule({
      tenantId: admin.tenantId,
      name: 'nightly',
      pipeline: 'sheet',
      cron: '0 3 * * *',
      input: {},
    });
    expect((await api.call('operate.workers', { as: user })).json().data).toMatchObject([
      { state: 'alive', pipelines: ['sheet'], running: 0 },
    ]);
    expect((await api.call('operate.schedules', { as: user })).json().data).toMatchObject([
      { name: 'nightly', cron: '0 3 * * *', timezone: 'UTC', enabled: true },
    ]);
    for (const name of ['weekly', 'hourly', 'yearly'])
      await engine.saveSchedule({ tenantId: admin.tenantId, name, pipeline: 'sheet', cron: '0 3 * * 1', input: {} });
    const names: string[] = [];
    for (let after: string | null = ''; after !== null; ) {
      const query: Record<string, string> = { limit: '2', ...(after === '' ? {} : { after }) };
      const page = (await api.call('operate.schedules', { as: user, query })).json();
      names.push(...page.data.map((each: { name: string }) => each.name));
      after = page.next;
    }
    expect(names).toEqual(['nightly', 'weekly', 'hourly', 'yearly']);
    const figures = (await api.call('system.metrics', { as: user })).json();
    expect(figures).toMatchObject({
      ingest: { backlog_count: 0, last_failed_batch: null, dead_letters: 0, stale_runs: 0 },
      workers_alive: 1,
    });
    const { body } = await api.server.inject('/metrics');
    expect(body).toContain('millrace_runs{pipeline="sheet",phase="waiting"} 0');
    expect(body).toContain('millrace_workers_alive 1');
  });
});

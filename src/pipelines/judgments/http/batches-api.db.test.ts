// Batches over HTTP: uploaded once, skipped, refused or superseded, read back, reviewed, and removed where that is allowed.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildTenant, buildUser, type TestUser, useApi } from '../../../../test/support/api.ts';
import { useDatabase } from '../../../../test/support/database.ts';
import { type JudgmentsBench, judgmentsFile, openJudgmentsBench } from '../../../../test/support/judgments.ts';
import { field, filePart, form, multipartType } from '../../../../test/support/multipart.ts';
import { silentLog } from '../../../platform/log.ts';
import { batchHandlers } from './batch-handlers.ts';

const database = useDatabase();
const said: { fields: object; message: string }[] = [];
const log = { ...silentLog, info: (fields: object, message: string) => said.push({ fields, message }) };
let bench: JudgmentsBench;
let user: TestUser;

beforeAll(async () => {
  bench = await openJudgmentsBench(database.appUrl);
  await bench.engine.start();
});
afterAll(() => bench.close());

const api = useApi(database, () => ({
  engine: bench.engine,
  log,
  handlers: batchHandlers({ store: bench.store }),
}));
beforeAll(async () => {
  user = await buildUser(database, await buildTenant(database), 'admin');
});

const row = (number: string, amount = '10', name = 'Ann') => `${number},${name},Dan,${amount},2024-01-01,Kings,,,`;

async function post(
  content: string,
  fields: Record<string, string> = {},
  fileName = 'june.csv',
): Promise<Record<string, string>> {
  const parts = Object.entries(fields).map(([name, value]) => field(name, value));
  const answer = await api.call('batches.create', {
    as: user,
    body: form(...parts, filePart(fileName, content)),
    headers: { 'content-type': multipartType },
  });
  return answer.json<Record<string, string>>();
}

async function import_(content: string, fields: Record<string, string> = {}, fileName?: string) {
  const answer = await post(content, fields, fileName);
  await bench.ended(user.tenantId, answer.run_id ?? '');
  return answer;
}

describe('a batch over HTTP', () => {
  it('is accepted once; the same id and bytes are skipped and name the run', async () => {
    const file = judgmentsFile(row('H-1'));
    const first = await import_(file, {}, '2026-06-01.csv');
    expect(first).toMatchObject({
      status: 'pending',
      outcome: 'accepted',
      source_batch_id: 'simplicity-2026-06-01.csv',
    });
    const again = await post(file, {}, '2026-06-01.csv');
    expect(again).toMatchObject({ run_id: first.run_id, outcome: 'skipped', reason: 'duplicate_completed' });
    expect(said).toContainEqual({
      fields: { source_batch_id: 'simplicity-2026-06-01.csv', reason: 'duplicate_completed' },
      message: 'Duplicate skipped',
    });
    const shown = await api.call('batches.show', { as: user, params: { batch_id: 'simplicity-2026-06-01.csv' } });
    expect(shown.json()).toMatchObject({ run_id: first.run_id, status: 'completed', record_count: 1 });
    const { rows } = await database.admin.query(
      `select count(*) filter (where deleted_at is null) as kept from engine.blobs where tenant_id = $1`,
      [user.tenantId],
    );
    expect(rows[0]).toEqual({ kept: 1 });
  });

  it('with other bytes is refused and alerted, and superseding makes a linked revision', async () => {
    const first = await import_(judgmentsFile(row('C-1')), { source_batch_id: 'changing' });
    const refused = await post(judgmentsFile(row('C-1', '99')), { source_batch_id: 'changing' });
    expect(refused).toMatchObject({
      code: 'batch_content_changed',
      detail: expect.stringContaining(first.run_id ?? ''),
    });
    const alerts = await database.admin.query(
      `select data ->> 'message' as message from engine.events where run_id = $1 and type = 'alert.raised'`,
      [first.run_id],
    );
    expect(alerts.rows).toEqual([{ message: '[BATCH CONTENT CHANGED] changing: uploaded again with other content' }]);
    const replaced = await import_(judgmentsFile(row('C-1', '99')), { source_batch_id: 'changing', supersede: 'true' });
    expect(replaced).toMatchObject({ source_batch_id: 'changing#r2', supersedes: first.run_id });
    const judgments = await api.call('judgments.list', { as: user, query: { case_number: 'c-1' } });
    expect(judgments.json()).toMatchObject({ data: [{ judgment_amount: '99' }] });
  });

  it('of the same bytes under another id is imported, and said to be the same', async () => {
    const file = judgmentsFile(row('T-1'));
    const first = await import_(file, { source_batch_id: 'twin-a' });
    const second = await import_(file, { source_batch_id: 'twin-b' });
    expect(second).toMatchObject({
      outcome: 'accepted',
      same_bytes_as: { run_id: first.run_id, source_batch_id: 'twin-a' },
    });
  });

  it('that failed is not taken again in silence: the answer names the run and how to retry it', async () => {
    const file = judgmentsFile(row('', '1'));
    const failed = await import_(file, { source_batch_id: 'broken' });
    const again = await post(file, { source_batch_id: 'broken' });
    expect(again).toMatchObject({
      code: 'batch_failed_before',
      next: expect.stringContaining(`millrace runs retry ${failed.run_id}`),
    });
    const retry = await api.call('runs.retry', { as: user, params: { run_id: failed.run_id ?? '' }, body: {} });
    const revision = retry.json<{ run_id: string }>().run_id;
    await bench.ended(user.tenantId, revision);
    const shown = await api.call('batches.show', { as: user, params: { batch_id: 'broken' } });
    expect(shown.json()).toMatchObject({ run_id: revision, source_batch_id: 'broken#r2', retry_of: failed.run_id });
  });

  it('uploaded by many at the same moment lands once', async () => {
    const file = judgmentsFile(row('M-1'));
    const answers = await Promise.all(Array.from({ length: 8 }, () => post(file, { source_batch_id: 'many' })));
    expect(new Set(answers.map((answer) => answer.run_id)).size).toBe(1);
    expect(answers.filter((answer) => answer.outcome === 'accepted')).toHaveLength(1);
  });

  it('of another tenant, or with an id that cannot be used, is refused', async () => {
    const foreign = await post(judgmentsFile(row('X-1')), { workspace_id: '00000000-0000-4000-8000-000000000000' });
    expect(foreign).toMatchObject({ code: 'workspace_mismatch' });
    expect(await post(judgmentsFile(row('X-1')), { source_batch_id: 'a b' })).toMatchObject({
      code: 'batch_id_invalid',
    });
    expect(await post(judgmentsFile(row('X-1')), { policy: 'county=clear' })).toMatchObject({ code: 'policy_invalid' });
  });

  it('of the golden path can be removed, any other cannot', async () => {
    await import_(judgmentsFile(row('GP-1')), { source_batch_id: 'golden_path_test_1' });
    const remove = (batch: string) => api.call('batches.remove', { as: user, params: { batch_id: batch } });
    expect((await remove('golden_path_test_1')).statusCode).toBe(204);
    const left = await api.call('judgments.list', { as: user, query: { case_number: 'GP-1' } });
    expect(left.json()).toMatchObject({ data: [] });
    expect((await remove('twin-a')).json()).toMatchObject({ code: 'batch_removal_refused' });
    await expect(database.app.query(`delete from judgments`).then(({ rowCount }) => rowCount)).resolves.toBe(0);
  });
});

describe('the mapping of a batch', () => {
  it('can be saved for a file whose names say nothing, and the retried batch is read by it', async () => {
    const file = 'Ref,Who,Sum\nZ-1,Ann Ott,5\nZ-2,Bea Pil,6\n';
    const failed = await import_(file, { source_batch_id: 'unnamed' });
    const batch = { as: user, params: { batch_id: 'unnamed' } };
    expect((await api.call('batches.show', batch)).json()).toMatchObject({ error_type: 'mapping_incomplete' });
    const shown = (await api.call('batches.mapping', batch)).json<{ columns: { index: number; header: string }[] }>();
    const indexOf = (header: string) => shown.columns.find((column) => column.header === header)?.index ?? -1;
    const columns = [
      { index: indexOf('Ref'), field: 'case_number' },
      { index: indexOf('Who'), field: 'plaintiff_name' },
      { index: indexOf('Sum'), field: 'judgment_amount' },
    ];
    const saved = await api.call('batches.map', { ...batch, body: { columns } });
    expect(saved.json()).toMatchObject({ version: 1, origin: 'saved' });
    const retry = await api.call('runs.retry', { as: user, params: { run_id: failed.run_id ?? '' }, body: {} });
    const run = await bench.ended(user.tenantId, retry.json<{ run_id: string }>().run_id);
    expect([run.status, run.receipt?.outcomes]).toEqual(['completed', { inserted: 2 }]);
  });
});

describe('reviews over HTTP', () => {
  it('are listed, decided and audited', async () => {
    await import_(judgmentsFile(row('V-1', '1', 'Nora Same'), row('V-2', '2', 'Nora Same')));
    const listed = await api.call('plaintiff-reviews.list', { as: user });
    const review = listed.json<{ data: { id: number; plaintiff: { name: string } }[] }>().data.at(-1);
    expect(review).toMatchObject({ plaintiff: { name: 'Nora Same' } });
    const decided = await api.call('plaintiff-reviews.decide', {
      as: user,
      params: { review_id: String(review?.id) },
      body: { decision: 'accept' },
    });
    expect(decided.json()).toMatchObject({ decided: 1, review: { status: 'accepted', decided_by: user.email } });
    const plaintiffs = await api.call('plaintiffs.list', { as: user, query: { name: 'NORA same' } });
    const merged = plaintiffs.json<{ data: { merged_into: number | null }[] }>().data;
    expect(merged.filter(({ merged_into: into }) => into !== null)).toHaveLength(1);
    const audit = await api.call('operate.audit', { as: user, query: { action: 'plaintiff-reviews.decide' } });
    expect(audit.json()).toMatchObject({
      data: [{ target: String(review?.id), data: { decision: 'accept', decided: 1 } }],
    });
  });
});

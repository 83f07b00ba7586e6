// What a person does about a batch: correct refused rows and run them again, and say how a file is to be read.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildTenant, buildUser, type TestUser, useApi } from '../../../../test/support/api.ts';
import { findCanaries } from '../../../../test/support/canary-people.ts';
import { useDatabase } from '../../../../test/support/database.ts';
import { casesOf, type JudgmentsBench, judgmentsFile, openJudgmentsBench } from '../../../../test/support/judgments.ts';
import { field, filePart, form, multipartType } from '../../../../test/support/multipart.ts';
import { waitFor } from '../../../../test/support/wait-for.ts';
import { replayConsumer } from '../../../engine/replay.ts';
import { batchHandlers } from './batch-handlers.ts';
import { judgmentsFileRows } from './file-rows.ts';
import { judgmentsReadings } from './readings.ts';
import { judgmentsRejectTools } from './reject-tools.ts';

const database = useDatabase();
let bench: JudgmentsBench;
let user: TestUser;

beforeAll(async () => {
  bench = await openJudgmentsBench(database.appUrl);
  bench.engine.consume(replayConsumer);
  await bench.engine.start();
  user = await buildUser(database, await buildTenant(database), 'admin');
});
afterAll(() => bench.close());

const api = useApi(database, () => ({
  engine: bench.engine,
  pipelines: {
    judgments: {
      rejects: judgmentsRejectTools(bench.engine, bench.store),
      rows: judgmentsFileRows,
      readings: judgmentsReadings(bench.store),
    },
  },
  handlers: batchHandlers({ store: bench.store }),
}));

interface Reject {
  readonly id: string;
  readonly line: number;
  readonly code: string;
  readonly status: string;
  readonly replayed_by: string | null;
}

const row = (number: string, amount = '10', date = '2024-01-01') => `${number},Ann,Dan,${amount},${date},Kings,,,`;
const asRun = (runId: string) => ({ as: user, params: { run_id: runId } });
const rejectsOf = async (runId: string) =>
  (await api.call('rejects.list', asRun(runId))).json<{ data: Reject[] }>().data;

function send(content: string, fields: Record<string, string>) {
  const parts = Object.entries(fields).map(([name, value]) => field(name, value));
  return api.call('batches.create', {
    as: user,
    body: form(...parts, filePart('june.csv', content)),
    headers: { 'content-type': multipartType },
  });
}

async function post(content: string, batch: string) {
  return (await send(content, { source_batch_id: batch })).json<{ run_id: string; outcome: string }>();
}

async function importBatch(content: string, batch: string) {
  const { run_id: runId } = await post(content, batch);
  return bench.ended(user.tenantId, runId);
}

function correct(runId: string, rejectId: string, cells: Record<string, string>) {
  const params = { run_id: runId, reject_id: rejectId };
  return api.call('rejects.correct', { as: user, params, body: { cells } });
}

describe('refused rows of a batch', () => {
  const file = judgmentsFile(row('R-1'), row('R-2', '-5'), row('R-3', '10', '2024-02-30'));

  it('are checked by the batch’s own rules, run again, and settled when the replay has ended', async () => {
    const run = await importBatch(file, 'fixed');
    const [amount, date] = await rejectsOf(run.id);
    const still = await correct(run.id, amount?.id ?? '', { 'Judgment Amount': '-6' });
    expect(still.json()).toMatchObject({
      valid: false,
      faults: [{ code: 'number_negative', column: 'Judgment Amount' }],
    });
    expect((await correct(run.id, amount?.id ?? '', { 'Judgment Amount': '5' })).json()).toMatchObject({ valid: true });
    await correct(run.id, date?.id ?? '', { 'Filing Date': '2024-02-28' });
    const replay = (await api.call('rejects.replay', asRun(run.id))).json<{ run_id: string; rows: number }>();
    expect(replay.rows).toBe(2);
    const replayed = await bench.ended(user.tenantId, replay.run_id);
    expect([replayed.status, replayed.receipt?.outcomes]).toEqual(['completed', { inserted: 2 }]);
    expect((await bench.engine.verify(user.tenantId, replay.run_id)).differences).toEqual([]);
    const cases = await casesOf(database.admin, user.tenantId);
    expect(cases.filter(({ case_number: number }) => number.startsWith('R-'))).toMatchObject([
      { case_number: 'R-1', line: 2 },
      { case_number: 'R-2', line: 3, judgment_amount: '5' },
      { case_number: 'R-3', line: 4, filing_date: '2024-02-28' },
    ]);
    await waitFor(async () => (await rejectsOf(run.id)).every(({ status }) => status === 'resolved'));
    expect((await api.call('rejects.replay', asRun(run.id))).json()).toMatchObject({ code: 'nothing_to_replay' });
  });

  it('stay fixed: a replay is no revision, so the same file under its id is still skipped', async () => {
    const [shown, again] = [
      (await api.call('batches.show', { as: user, params: { batch_id: 'fixed' } })).json<{ run_id: string }>(),
      await post(file, 'fixed'),
    ];
    expect(again).toMatchObject({ outcome: 'skipped', run_id: shown.run_id });
  });

  it('that a replay refuses again can be corrected again', async () => {
    const run = await importBatch(judgmentsFile(row('S-1'), row('S-2', 'x'), row('S-2', 'y')), 'stubborn');
    for (const { id } of await rejectsOf(run.id))
      await correct(run.id, id, { 'Judgment Amount': id.length > 0 ? id : '1' });
    const first = (await api.call('rejects.replay', asRun(run.id))).json<{ run_id: string }>();
    await bench.ended(user.tenantId, first.run_id);
    const [left] = await rejectsOf(first.run_id);
    expect(left).toMatchObject({ code: 'case_repeated', line: 4 });
    await correct(first.run_id, left?.id ?? '', { 'Case Number': 'S-3' });
    const second = (await api.call('rejects.replay', asRun(first.run_id))).json<{ run_id: string }>();
    expect((await bench.ended(user.tenantId, second.run_id)).receipt?.outcomes).toEqual({ inserted: 1 });
    await waitFor(async () => (await rejectsOf(first.run_id)).every(({ status }) => status === 'resolved'));
  });

  it('can be downloaded with the columns of the file', async () => {
    const run = await importBatch(judgmentsFile(row('D-1'), row('D-2', '-1')), 'downloaded');
    const csv = (await api.call('rejects.download', asRun(run.id))).body;
    expect(csv.split('\r\n')[0]?.replace('\ufeff', '')).toMatch(/^Case Number,Plaintiff,.*,Address,/);
  });
});

describe('a file of rejects that comes back corrected', () => {
  const bad = [row('T-2', 'two', '01/02/2024'), row('T-1', '999', '25/02/2024')];
  const download = async (runId: string) => (await api.call('rejects.download', asRun(runId))).body;
  let original = '';
  let returned = '';
  let fixed = '';

  it('is read as the batch was, linked both ways, and leaves the originals as they were', async () => {
    // The order of day and month is evident in the batch, and no longer in the one row of it that comes back.
    const run = await importBatch(judgmentsFile(row('T-1', '10', '25/02/2024'), ...bad), 'returned');
    original = run.id;
    expect((await rejectsOf(original)).map(({ code }) => code)).toEqual(['number_malformed', 'case_repeated']);
    // The row that is fixed comes back; the other is left out of the file.
    fixed = (await download(original))
      .split('\r\n')
      .filter((line) => !line.includes('999'))
      .join('\r\n')
      .replace(',two,', ',22,');
    const answer = await send(fixed, { corrects: original });
    expect([answer.statusCode, answer.json()]).toEqual([
      202,
      expect.objectContaining({ outcome: 'accepted', source_batch_id: expect.stringMatching(/^returned#corrected-/) }),
    ]);
    returned = answer.json<{ run_id: string }>().run_id;
    const ended = await bench.ended(user.tenantId, returned);
    expect([ended.status, ended.receipt?.read, ended.receipt?.outcomes]).toEqual(['completed', 1, { inserted: 1 }]);
    expect((await bench.engine.verify(user.tenantId, returned)).differences).toEqual([]);
    const cases = await casesOf(database.admin, user.tenantId);
    expect(cases.find(({ case_number: number }) => number === 'T-2')).toMatchObject({
      judgment_amount: '22',
      filing_date: '2024-02-01',
    });
    const settled = await waitFor(async () => {
      const found = await rejectsOf(original);
      return found.some(({ status }) => status === 'resolved') && found;
    });
    expect(settled).toMatchObject([
      { status: 'resolved', replayed_by: returned, raw: { 'Judgment Amount': 'two' } },
      { status: 'open', replayed_by: null },
    ]);
  });

  it('lands once: the same bytes again name the run that has them', async () => {
    expect((await send(fixed, { corrects: original })).json()).toMatchObject({
      outcome: 'skipped',
      reason: 'duplicate_completed',
      run_id: returned,
    });
  });

  it('is no revision: the batch keeps its newest file', async () => {
    const shown = await api.call('batches.show', { as: user, params: { batch_id: 'returned' } });
    expect(shown.json()).toMatchObject({ run_id: original });
  });

  it('gives its rows back when it fails', async () => {
    const run = await importBatch(judgmentsFile(row('U-1'), row('U-2', 'x')), 'hopeless');
    const again = (await send(await download(run.id), { corrects: run.id })).json<{ run_id: string }>();
    expect(await bench.ended(user.tenantId, again.run_id)).toMatchObject({ status: 'failed' });
    await waitFor(async () => (await rejectsOf(run.id)).every(({ status }) => status === 'open'));
  });

  it('goes by the policies and the null token of its batch, and takes no other ones', async () => {
    await importBatch(judgmentsFile(row('V-1'), row('V-2')), 'before');
    const first = await send(judgmentsFile('V-1,,,,,Kings,,,', 'V-2,-,,x,,Kings,,,'), {
      source_batch_id: 'cleared',
      policy: 'defendant_name=clear',
      null_token: '-',
    });
    const { run_id: runId } = first.json<{ run_id: string }>();
    await bench.ended(user.tenantId, runId);
    const csv = (await download(runId)).replace(',x,', ',7,');
    const refused = await send(csv, { corrects: runId, vendor: 'acme', null_token: '-' });
    expect([refused.statusCode, refused.json()]).toEqual([
      422,
      expect.objectContaining({
        code: 'upload_fields_invalid',
        detail: expect.stringContaining('vendor, null_token: known from the run'),
      }),
    ]);
    const unclear = await send(csv, { corrects: runId, retry_of: original });
    expect([unclear.statusCode, unclear.json().detail]).toEqual([422, expect.stringContaining('name different runs')]);
    // The former name of the field does the same.
    const back = (await send(csv, { retry_of: runId })).json<{ run_id: string }>();
    await bench.ended(user.tenantId, back.run_id);
    const cases = await casesOf(database.admin, user.tenantId);
    expect(cases.find(({ case_number: number }) => number === 'V-2')).toMatchObject({
      plaintiff_name: null,
      defendant_name: null,
      judgment_amount: '7',
    });
  });

  it('of a run that is nobody’s or another tenant’s is refused in the same words', async () => {
    const stranger = await buildUser(database, await buildTenant(database), 'admin');
    const body = form(field('corrects', original), filePart('june.csv', fixed));
    const foreign = await api.call('batches.create', {
      as: stranger,
      body,
      headers: { 'content-type': multipartType },
    });
    const nobody = '01900000-0000-7000-8000-000000000000';
    const missing = await send(fixed, { corrects: nobody });
    expect([foreign.statusCode, foreign.json().code]).toEqual([404, 'run_not_found']);
    const words = (text: string) => JSON.parse(text).detail.replace(original, 'RUN').replace(nobody, 'RUN');
    expect([missing.statusCode, words(missing.body)]).toEqual([404, words(foreign.body)]);
  });
});

describe('the rows of a batch', () => {
  it('hold the lines that repeat an earlier one, with what they say; pages neither repeat nor skip one', async () => {
    const file = judgmentsFile(row('W-1'), row('w-1'), row('W-2'), row('W-1', '5'), row('W-2'), row('W-1'));
    const run = await importBatch(file, 'repeated');
    expect(run.receipt?.outcomes).toEqual({ inserted: 2, superseded: 3, rejected: 1 });
    const rowsOf = async (query: Record<string, string>) =>
      (await api.call('runs.rows', { ...asRun(run.id), query })).json<{
        data: { row: number; line: number; outcome: string; cells: Record<string, string>; stored_id: string }[];
        next: string | null;
        kept: boolean;
      }>();
    const { data } = await rowsOf({ outcome: 'superseded' });
    expect(data.map(({ row: nth, line, cells }) => [nth, line, cells.case_number])).toEqual([
      [2, 3, 'W-1'],
      [5, 6, 'W-2'],
      [6, 7, 'W-1'],
    ]);
    expect(data.every(({ outcome, stored_id: id }) => outcome === 'superseded' && id !== null)).toBe(true);
    expect((await rowsOf({ outcome: 'inserted' })).data.map(({ line }) => line)).toEqual([2, 4]);
    const seen: string[] = [];
    let after: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof rowsOf>> = await rowsOf({
        limit: '2',
        ...(after === null ? {} : { after }),
      });
      seen.push(...page.data.map(({ line, outcome }) => `${line} ${outcome}`));
      after = page.next;
    } while (after !== null);
    expect(seen).toEqual(['2 inserted', '3 superseded', '4 inserted', '6 superseded', '7 superseded']);
  });

  it('are no longer kept once staging is gone; of a batch that was refused whole nothing was ever there', async () => {
    const run = await importBatch(judgmentsFile(row('X-9')), 'forgotten');
    const refused = await importBatch(judgmentsFile(row('X-8', 'x')), 'refused');
    const keptOf = async (runId: string) => (await api.call('runs.rows', asRun(runId))).json<{ kept: boolean }>().kept;
    expect([await keptOf(run.id), await keptOf(refused.id)]).toEqual([true, true]);
    await database.admin.query('delete from intake.simplicity_validated_rows where batch_id = $1', [run.id]);
    expect(await keptOf(run.id)).toBe(false);
  });
});

describe('clusters of refused rows', () => {
  it('come with the evident fix of their cause, as those of ads do', async () => {
    const run = await importBatch(judgmentsFile(row('F-1'), row('F-2', '12.50 credits'), row('F-3')), 'with-a-fix');
    const { data } = (await api.call('rejects.clusters', asRun(run.id))).json();
    expect(data).toMatchObject([{ code: 'number_malformed', count: 1, fix: { kind: 'keep_digits' } }]);
  });
});

describe('the reading of a batch', () => {
  it('is shown with its sample; an override is tried at once and used by the retry', async () => {
    const file = 'Case Number;Plaintiff;Judgment Amount;Filing Date\nO-1;Ann;1,5;03/04/2024\nO-2;Bea;x;05/04/2024\n';
    const run = await importBatch(file, 'ordered');
    const batch = { as: user, params: { batch_id: 'ordered' } };
    const shown = (await api.call('batches.reading', batch)).json();
    expect(shown).toMatchObject({
      upload_id: run.id,
      delimiter: { value: ';' },
      header: ['Case Number', 'Plaintiff', 'Judgment Amount', 'Filing Date'],
      sample: [{ line: 2, cells: ['O-1', 'Ann', '1,5', '03/04/2024'] }, { line: 3 }],
    });
    expect((await api.call('runs.reading', asRun(run.id))).json()).toEqual(shown);
    const mapping = (await api.call('runs.mapping', asRun(run.id))).json();
    expect(mapping).toMatchObject({
      pipeline: 'judgments',
      missing: [],
      columns: [{ field: 'case_number' }, {}, {}, {}],
    });
    expect((await api.call('batches.mapping', batch)).json()).toMatchObject({ fingerprint: mapping.fingerprint });
    const overridden = await api.call('batches.override', { ...batch, body: { date_order: 'dmy' } });
    expect(overridden.json()).toMatchObject({ date_order: { value: 'dmy', overridden: true } });
    const unknown = await api.call('batches.reading', { as: user, params: { batch_id: 'nobody-knows' } });
    expect(unknown.json()).toMatchObject({ code: 'batch_not_found' });
  });

  it('as a person set it is used when a failed batch is retried', async () => {
    const run = await importBatch('Case Number,Filing Date\nP-1,nonsense\n', 'to-be-read-otherwise');
    expect(run.status).toBe('failed');
    const batch = { as: user, params: { batch_id: 'to-be-read-otherwise' } };
    await api.call('batches.override', { ...batch, body: { date_order: 'mdy', decimal: ',' } });
    const retry = await api.call('runs.retry', { ...asRun(run.id), body: {} });
    await bench.ended(user.tenantId, retry.json<{ run_id: string }>().run_id);
    expect((await api.call('batches.reading', batch)).json()).toMatchObject({
      decimal: { value: ',', overridden: true },
    });
  });
});

describe('an error that the API answers', () => {
  it('names ids and codes, never people of the file', async () => {
    const people = judgmentsFile(
      'X-1,Canary Plaintiffsson,Canary Defendantsson,10,2024-01-01,Kings,canary@secret.test,555-867-5309,77 Canary Way',
    );
    await importBatch(people, 'with-people');
    const refused = await post(people.replace('10,', '11,'), 'with-people');
    expect(refused).toMatchObject({ code: 'batch_content_changed' });
    expect(findCanaries(JSON.stringify(refused))).toEqual([]);
    const metrics = await api.call('system.metrics', { as: user });
    expect(findCanaries(metrics.body)).toEqual([]);
    const audit = await api.call('operate.audit', { as: user });
    expect(findCanaries(audit.body)).toEqual([]);
  });
});

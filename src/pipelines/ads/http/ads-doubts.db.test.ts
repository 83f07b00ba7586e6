// Ads exports that can be read in more than one way: nothing is stored before somebody has answered, unless the sender said otherwise.
import { describe, expect, it } from 'vitest';
import { useAdsApi } from '../../../../test/support/use-ads-api.ts';
import { waitFor } from '../../../../test/support/wait-for.ts';

const adsApi = useAdsApi();
const { db, api, upload, ended, asRun } = adsApi;

const header = 'Day,Campaign name,Campaign ID,Amount spent (USD),Impressions,Clicks (all)';
const day = (number: number) => `2024-01-${String(number).padStart(2, '0')}`;
const rowsOf = (name: string, count = 8) =>
  Array.from({ length: count }, (_, i) => `${day(i + 1)},${name},1001,1.5,100,5`);
const twoTables = (name: string) =>
  [
    header,
    ...rowsOf(name),
    '',
    'Day,Campaign name,Campaign ID,Amount spent (USD)',
    `${day(20)},${name} B,2001,7.5`,
    `${day(21)},${name} B,2001,8.5`,
    `${day(22)},${name} B,2001,9.5`,
  ].join('\n');
/** Its total says more than its rows. */
const short = (name: string) =>
  [header, ...rowsOf(name), 'Total,,,99.5,800,40'].join('\n').replaceAll(',1001,', ',3001,');

const show = async (runId: string) => (await api.call('runs.show', asRun(runId))).json();

async function asked(text: string, fields: Record<string, string> = {}) {
  const { upload_id: runId } = (await upload(text, fields)).json();
  const run = await waitFor(async () => {
    const detail = await show(runId);
    return detail.question !== null && detail;
  });
  return { runId, run, question: run.question };
}

const answer = (questionId: string, choice: string) =>
  api.call('questions.answer', { as: adsApi.admin, params: { question_id: questionId }, body: { choice } });

async function staged(runId: string): Promise<number> {
  const { rows } = await db.admin.query(
    'select count(*)::int as rows from staging_rows where upload_id = $1 and metric_date is not null',
    [runId],
  );
  return rows[0].rows;
}

async function stored(runId: string): Promise<number> {
  const { rows } = await db.admin.query('select count(*)::int as rows from daily_metrics where run_id = $1', [runId]);
  return rows[0].rows;
}

/** Behind the sample the columns come in another order; the numbers would fit both ways. */
const reordered = (name: string, firstId: number) =>
  [
    header,
    ...Array.from({ length: 1_200 }, (_, i) => `${day((i % 28) + 1)},${name} ${i},${firstId + i},1.5,100,5`),
    'Day,Campaign name,Campaign ID,Amount spent (USD),Clicks (all),Impressions',
    `${day(20)},${name} late,7001,7.5,9,900`,
    `${day(21)},${name} late,7001,8.5,8,800`,
  ].join('\n');

describe('a header behind the sample with the columns in another order', () => {
  it('holds the run in staging, and what stands below it is never stored under the first names', async () => {
    const { runId, run, question } = await asked(reordered('Late', 50_000));
    expect(question.doubts).toMatchObject([{ code: 'header_does_not_fit', rows_at_stake: 2, lines: [1_202] }]);
    expect(run.receipt).toMatchObject({ read: 1_200, outcomes: { held_back: 1_200 } });
    expect(await stored(runId)).toBe(0);
    expect((await answer(question.question_id, 'as_decided')).statusCode).toBe(200);
    const done = await ended(runId);
    expect(done).toMatchObject({
      status: 'completed',
      receipt: { read: 1_200, content: { bytes: { other_table: 145 } } },
    });
    expect(await stored(runId)).toBe(1_200);
  });

  it('stores the first table only when the sender wants no question', async () => {
    const { upload_id: runId } = (await upload(reordered('Unasked', 60_000), { on_doubt: 'proceed' })).json();
    const done = await ended(runId);
    expect(done).toMatchObject({ status: 'completed', receipt: { doubts: { header_does_not_fit: 1 } } });
    // In words, too: found behind the sample, it stands nowhere else.
    expect(done.receipt?.in_doubt).toMatchObject([
      {
        code: 'header_does_not_fit',
        message: expect.stringContaining('Clicks (all)'),
        rows_at_stake: 2,
        lines: [1_202],
      },
    ]);
    expect(await stored(runId)).toBe(1_200);
    const { rows } = await db.admin.query(
      `select data -> 'doubts' as doubts from engine.events where run_id = $1 and type = 'IngestionCompleteEvent'`,
      [runId],
    );
    expect(rows).toEqual([{ doubts: { header_does_not_fit: 1 } }]);
  });
});

describe('a measure that looks present and is not mapped', () => {
  it('is counted as a doubt on the receipt and shown with the run, and the rest is stored', async () => {
    const text = [
      'Day,Campaign name,Campaign ID,Amount spent (USD),Impressions,Clicks beyond the usual kind',
      ...rowsOf('Unmapped').map((line) => line.replace(',1001,', ',8001,')),
    ].join('\n');
    const { upload_id: runId } = (await upload(text)).json();
    expect(await ended(runId)).toMatchObject({ status: 'completed', receipt: { doubts: { measure_unmapped: 1 } } });
    expect(await stored(runId)).toBe(8);
    const reading = (await api.call('runs.reading', asRun(runId))).json();
    expect(JSON.stringify(reading)).toContain('Clicks beyond the usual kind');
  });
});

describe('numbers and names that can be read in two ways', () => {
  it('are asked about before the first row where both decimal signs occur, and read as somebody says', async () => {
    const costs = ['"1.234,50"', '"2.500,25"', '"1,234.50"', '2.500'];
    const text = [header, ...costs.map((cost, i) => `${day(i + 1)},Mixed,9001,${cost},100,5`)].join('\n');
    const { runId, question } = await asked(text, { force_partial: 'true' });
    expect(question.doubts).toMatchObject([{ code: 'numbers_doubtful' }]);
    const other = question.choices.find(({ label }: { label: string }) => label.includes('comma'));
    expect((await answer(question.question_id, other.choice)).statusCode).toBe(200);
    await ended(runId);
    const { rows } = await db.admin.query(
      'select spend::float from daily_metrics where run_id = $1 and metric_date = $2',
      [runId, day(4)],
    );
    expect(rows).toEqual([{ spend: 2500 }]);
  });

  it('are asked about where a measure is told in two currencies', async () => {
    const text = [
      'Day,Campaign name,Campaign ID,Amount spent (USD),Amount spent (EUR),Impressions,Clicks (all)',
      ...rowsOf('Both').map((line, i) => line.replace(',1001,1.5,', `,9201,1.5,1.${i + 2},`)),
    ].join('\n');
    const { runId, question } = await asked(text);
    expect(question.doubts).toMatchObject([{ code: 'measure_twice' }]);
    expect(question.text).toContain('"Amount spent (USD)" and "Amount spent (EUR)" hold different values');
    expect((await answer(question.question_id, 'as_decided')).statusCode).toBe(200);
    expect(await ended(runId)).toMatchObject({ status: 'completed', receipt: { read: 8 } });
  });

  it('are asked about where two columns of one name hold different numbers', async () => {
    const text = [
      'Day,Campaign name,Campaign ID,Amount spent (USD),Impressions,Clicks (all),Clicks (all)',
      ...rowsOf('Twice').map((line, i) => `${line.replace(',1001,', ',9101,')},${i + 20}`),
    ].join('\n');
    const { runId, question } = await asked(text);
    expect(question.doubts).toMatchObject([{ code: 'measure_twice' }]);
    expect((await answer(question.question_id, 'as_decided')).statusCode).toBe(200);
    expect(await ended(runId)).toMatchObject({ status: 'completed', receipt: { read: 8 } });
  });
});

describe('a second table in an export', () => {
  it('holds the run before its first row, and it goes on as decided when somebody says so', async () => {
    const { runId, run, question } = await asked(twoTables('Held'));
    expect(run).toMatchObject({ status: 'pending', wait: { code: 'question' }, actions: ['cancel'] });
    expect(question).toMatchObject({ code: 'reading_doubtful', doubts: [{ code: 'other_table', rows_at_stake: 3 }] });
    expect(question.choices.map(({ choice }: { choice: string }) => choice)).toEqual([
      'as_decided',
      'other_1',
      'refuse',
    ]);
    expect(await staged(runId)).toBe(0);
    const open = (await api.call('questions.list', { as: adsApi.admin })).json().data;
    expect(open.map(({ run_id: id }: { run_id: string }) => id)).toContain(runId);
    expect((await answer(question.question_id, 'as_decided')).statusCode).toBe(200);
    const { status, receipt } = await ended(runId);
    expect([status, receipt?.read, receipt?.doubts]).toEqual(['completed', 8, undefined]);
    // Set aside, and accounted for.
    expect(receipt?.content?.bytes).toMatchObject({ other_table: expect.any(Number) });
    expect((await answer(question.question_id, 'as_decided')).json()).toMatchObject({ code: 'question_closed' });
    const { rows } = await db.admin.query(
      `select data from audit_log where action = 'questions.answer' and target = $1`,
      [runId],
    );
    expect(rows).toMatchObject([{ data: { choice: 'as_decided' } }]);
  });

  it('is read instead when somebody says so', async () => {
    const { runId, question } = await asked(twoTables('Other'));
    await answer(question.question_id, 'other_1');
    const { status, receipt } = await ended(runId);
    expect([status, receipt?.read, receipt?.totals?.spend?.file]).toEqual(['completed', 3, '25.5']);
    expect(
      (await api.call('uploads.reading', { as: adsApi.admin, params: { upload_id: runId } })).json(),
    ).toMatchObject({
      header_lines: { value: [11], overridden: true },
    });
  });

  it('ends the run when somebody refuses the file; a retry asks again', async () => {
    const { runId, question } = await asked(twoTables('Refused'));
    await answer(question.question_id, 'refuse');
    expect(await ended(runId)).toMatchObject({ status: 'failed', error_code: 'reading_doubtful' });
    const { run_id: retried } = (await api.call('runs.retry', asRun(runId))).json();
    await waitFor(async () => (await show(retried)).question !== null);
  });

  it('is a failure or no question at all when the sender wants it so', async () => {
    const failed = (await upload(twoTables('Failed'), { on_doubt: 'fail' })).json().upload_id;
    expect(await ended(failed)).toMatchObject({ status: 'failed', error_code: 'reading_doubtful' });
    const gone = (await upload(twoTables('Gone on'), { on_doubt: 'proceed' })).json().upload_id;
    expect(await ended(gone)).toMatchObject({ status: 'completed', receipt: { read: 8, doubts: { other_table: 1 } } });
    expect((await upload(header, { on_doubt: 'maybe' })).json()).toMatchObject({ code: 'upload_fields_invalid' });
  });
});

describe('a total row that says more than the rows', () => {
  it('holds the run in staging: it stores nothing, says so on its receipt, and stores all once it is answered', async () => {
    const { runId, run, question } = await asked(short('Short'));
    expect(question.doubts).toMatchObject([{ code: 'total_differs' }]);
    expect(run.receipt).toMatchObject({ read: 8, outcomes: { held_back: 8 }, doubts: { total_differs: 1 } });
    expect([await staged(runId), await stored(runId)]).toEqual([8, 0]);
    await answer(question.question_id, 'as_decided');
    const { status, receipt } = await ended(runId);
    expect([status, receipt?.outcomes, await stored(runId)]).toEqual(['completed', { inserted: 8 }, 8]);
    expect((await adsApi.bench.engine.verify(adsApi.admin.tenantId, runId)).differences).toEqual([]);
  });

  it('leaves a receipt of rows held back when the file is refused', async () => {
    const { runId, question } = await asked(short('Short and refused'));
    await answer(question.question_id, 'refuse');
    expect(await ended(runId)).toMatchObject({ status: 'failed', receipt: { outcomes: { held_back: 8 } } });
    expect((await adsApi.bench.engine.verify(adsApi.admin.tenantId, runId)).differences).toEqual([]);
  });

  it('is no doubt where it differs by rounding only', async () => {
    const text = [header, ...rowsOf('Rounded'), 'Total,,,12.04,800,40'].join('\n');
    const { status, receipt } = await ended((await upload(text)).json().upload_id);
    expect([status, receipt?.doubts]).toEqual(['completed', undefined]);
  });
});

// Exports that read cleanly and say something else than was meant: each of them is asked about, told on the receipt, or refused.
import iconv from 'iconv-lite';
import { expect, it } from 'vitest';
import { useAdsApi } from '../../../../test/support/use-ads-api.ts';
import { waitFor } from '../../../../test/support/wait-for.ts';
import { buildWorkbook } from '../../../../test/support/workbooks.ts';

const adsApi = useAdsApi();
const { db, api, upload, ended, asRun } = adsApi;

const header = 'Day,Campaign name,Campaign ID,Amount spent (USD),Impressions,Clicks (all)';
const rowOf = (name: string, id: number, i: number) => `2024-01-0${i},${name},${id},1.5,100,5`;
const rowsOf = (name: string, id: number) => [1, 2, 3, 4, 5, 6].map((i) => rowOf(name, id, i));

async function stored(runId: string): Promise<number> {
  const { rows } = await db.admin.query('select count(*)::int as rows from daily_metrics where run_id = $1', [runId]);
  return rows[0].rows;
}

it('two tables side by side hold the run before its first row', async () => {
  const beside = ['North,100', 'South,200', 'West,300', ',', ',', ','];
  const lines = [`${header},,Region,Budget`, ...rowsOf('Beside', 11001).map((row, i) => `${row},,${beside[i]}`)];
  const { upload_id: runId } = (await upload(lines.join('\n'))).json();
  const { question } = await waitFor(async () => {
    const detail = (await api.call('runs.show', asRun(runId))).json();
    return detail.question !== null && detail;
  });
  expect(question.doubts).toMatchObject([{ code: 'other_table', rows_at_stake: 3, lines: [1] }]);
  expect(await stored(runId)).toBe(0);
  const params = { question_id: question.question_id };
  const said = await api.call('questions.answer', { as: adsApi.admin, params, body: { choice: 'as_decided' } });
  expect(said.statusCode).toBe(200);
  expect(await ended(runId)).toMatchObject({ status: 'completed', receipt: { read: 6 } });
  expect(await stored(runId)).toBe(6);
});

it('rows that a workbook hides are stored and told on the receipt', async () => {
  const cells = (line: string, row: number) =>
    line.split(',').map((text, i) => `<c r="${'ABCDEF'[i]}${row}" t="str"><v>${text}</v></c>`);
  const rows = [header, ...rowsOf('Hidden', 11002)].map(
    (line, i) => `<row r="${i + 1}"${i === 2 || i === 3 ? ' hidden="1"' : ''}>${cells(line, i + 1).join('')}</row>`,
  );
  const { upload_id: runId } = (await upload(buildWorkbook({ rows: rows.join('') }), {}, 'export.xlsx')).json();
  expect(await ended(runId)).toMatchObject({
    status: 'completed',
    receipt: { read: 6, doubts: { workbook_hides_rows: 1 } },
  });
  expect(await stored(runId)).toBe(6);
});

it('text that was encoded twice is told on the receipt, and the reading shows what was meant', async () => {
  const meant = [header, ...rowsOf('Größe', 11003)].join('\n');
  const { upload_id: runId } = (await upload(iconv.decode(Buffer.from(meant), 'windows-1252'))).json();
  expect(await ended(runId)).toMatchObject({ status: 'completed', receipt: { doubts: { text_encoded_twice: 1 } } });
  const reading = (await api.call('runs.reading', asRun(runId))).body;
  expect(reading).toContain('was probably meant as \\"Größe\\"');
});

it('UTF-7 is refused, with the reason and what to do', async () => {
  const { upload_id: runId } = (
    await upload(iconv.encode([header, ...rowsOf('Größe', 11004)].join('\n'), 'utf-7'))
  ).json();
  expect(await ended(runId)).toMatchObject({ status: 'failed' });
  const { error } = (await api.call('runs.show', asRun(runId))).json();
  expect(error).toMatchObject({ code: 'encoding_not_recognised', message: expect.stringContaining('UTF-7') });
  expect(await stored(runId)).toBe(0);
});

/** The first run that asks, and what it asks. */
async function asking(text: string | Buffer, filename?: string) {
  const { upload_id: runId } = (await upload(text, {}, filename)).json();
  const { question } = await waitFor(async () => {
    const detail = (await api.call('runs.show', asRun(runId))).json();
    return detail.question !== null && detail;
  });
  const answer = (choice: string) =>
    api.call('questions.answer', {
      as: adsApi.admin,
      params: { question_id: question.question_id },
      body: { choice },
    });
  return { runId, question, answer };
}

const byDevice = (id: number, all: string) => [
  header.replace('Amount', 'Device,Amount'),
  ...[3, 5, 8, 9].flatMap((day) => [
    `2024-01-0${day},Devices,${id},Mobile,${day * 7}.25,${day * day * 31},${day}`,
    `2024-01-0${day},Devices,${id},Desktop,${day * day}.50,${day * 271},${day + 9}`,
    `2024-01-0${day},Devices,${id},${all},${day * 7 + day * day}.75,${day * day * 31 + day * 271},${day + day + 9}`,
  ]),
];

it('rows of all devices beside their devices hold the run; left out, the receipt has the money once', async () => {
  const { runId, question, answer } = await asking(byDevice(11005, 'All devices').join('\n'));
  expect(question.doubts).toMatchObject([{ code: 'totals_among_rows', rows_at_stake: 4, lines: [4, 7, 10, 13] }]);
  expect(await stored(runId)).toBe(0);
  const leave = question.choices.find(({ label }: { label: string }) => label === 'Leave them out as totals');
  expect((await answer(leave.choice)).statusCode).toBe(200);
  const { status, receipt } = await ended(runId);
  expect([status, receipt?.read, receipt?.doubts]).toEqual(['completed', 8, undefined]);
  expect(receipt?.totals?.spend).toMatchObject({ file: '357' });
  const { rows } = await db.admin.query('select sum(spend)::float as spend from daily_metrics where run_id = $1', [
    runId,
  ]);
  expect(rows).toEqual([{ spend: 357 }]);
  expect((await adsApi.bench.engine.verify(adsApi.admin.tenantId, runId)).differences).toEqual([]);
});

it('a campaign that is named once for its rows holds the run, and one answer stores all of them under it', async () => {
  const days = [1, 2, 3, 4, 5, 6].map((i) => rowOf(i % 3 === 1 ? `Once ${i}` : '', 11006, i).replace(',11006,', ','));
  const { runId, question, answer } = await asking([header.replace('Campaign ID,', ''), ...days].join('\n'));
  expect(question.doubts).toMatchObject([{ code: 'groups_named_once', rows_at_stake: 4, lines: [3, 4, 6, 7] }]);
  const carry = question.choices.find(({ label }: { label: string }) => label === 'Read them as the value above');
  expect((await answer(carry.choice)).statusCode).toBe(200);
  expect(await ended(runId)).toMatchObject({ status: 'completed', receipt: { read: 6, outcomes: { inserted: 6 } } });
  const { rows } = await db.admin.query(
    `select c.name, count(*)::int as days from daily_metrics m join campaigns c on c.id = m.campaign_id
     where m.run_id = $1 group by c.name order by c.name`,
    [runId],
  );
  expect(rows).toEqual([
    { name: 'Once 1', days: 3 },
    { name: 'Once 4', days: 3 },
  ]);
  expect((await adsApi.bench.engine.verify(adsApi.admin.tenantId, runId)).differences).toEqual([]);
});

it('columns and sheets that a workbook hides are told: on the receipt, and with the reading', async () => {
  const cells = (line: string, row: number) =>
    line.split(',').map((text, i) => `<c r="${'ABCDEF'[i]}${row}" t="str"><v>${text}</v></c>`);
  const rows = [header, ...rowsOf('Hidden columns', 11007)].map(
    (line, i) => `<row r="${i + 1}">${cells(line, i + 1).join('')}</row>`,
  );
  const sheet = `<worksheet><cols><col min="5" max="5" hidden="1"/></cols><sheetData>${rows.join('')}</sheetData></worksheet>`;
  const workbook = '<workbook><sheets><sheet name="Data" sheetId="1" state="hidden" r:id="rId1"/></sheets></workbook>';
  const { upload_id: runId } = (await upload(buildWorkbook({ sheet, workbook }), {}, 'export.xlsx')).json();
  const { status, receipt } = await ended(runId);
  expect([status, receipt?.doubts]).toEqual(['completed', { workbook_hides_columns: 1, workbook_hides_sheets: 1 }]);
  expect(JSON.stringify(receipt?.in_doubt)).toMatch(/The sheet .*Data.*is hidden.*the column Impressions/);
  expect((await api.call('runs.reading', asRun(runId))).body).toContain('is hidden in the workbook');
});

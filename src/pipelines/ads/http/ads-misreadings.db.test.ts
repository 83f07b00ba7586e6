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

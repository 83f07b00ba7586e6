// Every kind of bad file has its own code and its own sentence, and nothing of it is lost.
import { deflateRawSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdsBench, numbersOf, openAdsBench } from '../../../test/support/ads.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { newTenant } from '../../../test/support/engine.ts';
import { unstorableFiles } from '../../../test/support/unstorable-files.ts';
import { buildWorkbook } from '../../../test/support/workbooks.ts';

const database = useDatabase();
let bench: AdsBench;

beforeAll(async () => {
  bench = await openAdsBench(database.appUrl);
  await bench.engine.start();
});
afterAll(() => bench.close());

const header = 'Day,Campaign name,Campaign ID,Amount spent (USD),Impressions,Clicks (all)';
const day = (i: number) => new Date(Date.UTC(2024, 0, 1 + i)).toISOString().slice(0, 10);
const good = (count: number) => Array.from({ length: count }, (_, i) => `${day(i)},Spring,1001,1.5,100,5`);
const bad = (count: number) => Array.from({ length: count }, (_, i) => `${day(i)},Spring,1001,much,100,5`);
const file = (...rows: string[]) => `${[header, ...rows].join('\n')}\n`;

describe('a file as a whole', () => {
  it.each([
    ['of white space only', '\n \n\n', {}, 'empty_file'],
    ['with a header and no rows', `${header}\n`, {}, 'empty_file'],
    [
      'of another platform',
      file(...good(3)).replace('Campaign ID', 'Ad set ID'),
      { platform: 'google' },
      'wrong_platform',
    ],
    [
      'without a day column',
      'Campaign name,Campaign ID,Amount spent (USD)\nSpring,1001,1.5\nFall,1002,2\n',
      {},
      'mapping_incomplete',
    ],
    ['with only bad rows', file(...bad(5)), {}, 'nothing_promoted'],
    ['of one line of 50 MB', `${header}\n${'x'.repeat(50_000_000)}`, {}, 'line_too_long'],
    ['of a million columns', `${'a,'.repeat(1_000_000)}b\n1\n`, {}, 'too_many_columns'],
    [
      'that is a truncated workbook',
      buildWorkbook({}).subarray(0, 900),
      { filename: 'export.xlsx' },
      'spreadsheet_damaged',
    ],
    ['that unpacks without end', bomb(), { filename: 'export.xlsx' }, 'spreadsheet_too_large'],
    ['that is binary', Buffer.from(Array.from({ length: 4096 }, (_, i) => i % 32)), {}, 'content_mismatch'],
  ] as const)('%s fails with its own code', async (_, bytes, input, code) => {
    const run = await bench.ingest(newTenant(), bytes, { ...input });
    expect([run.status, run.error_code]).toEqual(['failed', code]);
    expect(run.error_text).not.toMatch(/\{\w+\}/);
  });

  it('that is poison fails alone: uploaded together with honest ones, each gets its own code and the others finish', async () => {
    const workbook = { filename: 'export.xlsx' };
    const poison = [
      [bomb(), workbook, 'spreadsheet_too_large'],
      [buildWorkbook({}).subarray(0, 900), workbook, 'spreadsheet_damaged'],
      [`${'a,'.repeat(1_000_000)}b\n1\n`, {}, 'too_many_columns'],
      [`${header}\n${'x'.repeat(2_000_000)}`, {}, 'line_too_long'],
      [`${'['.repeat(100_000)}${']'.repeat(100_000)}`, { filename: 'export.json' }, 'json_too_deep'],
    ] as const;
    const honest = [1, 2, 3].map((client) => ({ tenantId: newTenant(), text: file(...good(10 * client)) }));
    const poisoned = poison.map(([bytes, input]) => ({ tenantId: newTenant(), bytes, input }));
    const ends = await Promise.all([
      ...poisoned.map(({ tenantId, bytes, input }) => bench.ingest(tenantId, bytes, { ...input })),
      ...honest.map(({ tenantId, text }) => bench.ingest(tenantId, text)),
    ]);
    expect(ends.map(({ status, error_code }) => [status, error_code])).toEqual([
      ...poison.map(([, , code]) => ['failed', code]),
      ...honest.map(() => ['completed', null]),
    ]);
  });

  it.each([
    ['proves its order', 13],
    ['fits both orders like them', 6],
  ])(
    'of days whose report begins on a date that fits both orders is stored, where the last day %s',
    async (_, last) => {
      const names =
        'Début des rapports;Fin des rapports;Nom de la campagne;Jour;Montant dépensé (EUR);Impressions;Clics (tous)';
      const date = (of: number) => `${String(of).padStart(2, '0')}/03/2024`;
      const rows = [1, 2, 3, 4, 5, last].map((of) => `${date(1)};${date(last)};Été;${date(of)};1,5;100;5`);
      const tenantId = newTenant();
      const run = await bench.ingest(tenantId, `${[names, ...rows].join('\n')}\n`);
      expect([run.status, run.receipt?.outcomes]).toEqual(['completed', { inserted: 6 }]);
      const { rows: days } = await database.admin.query<{ day: string }>(
        'select metric_date::text as day from public.daily_metrics where workspace_id = $1 order by 1',
        [tenantId],
      );
      expect(days.map(({ day: each }) => each)).toEqual(
        [1, 2, 3, 4, 5, last].map((of) => `2024-03-${String(of).padStart(2, '0')}`),
      );
    },
  );

  it('whose rows cover more than a day shows each of them as not daily; single days are taken', async () => {
    const tenantId = newTenant();
    const rows = Array.from({ length: 9 }, (_, i) => `${day(i)},${day(i)},Spring,1001,1`);
    const text = `Reporting starts,Reporting ends,Campaign name,Campaign ID,Amount spent (USD)\n${[...rows, '2024-02-01,2024-02-29,Spring,1001,9'].join('\n')}\n`;
    expect(await bench.ingest(tenantId, text)).toMatchObject({
      status: 'completed',
      receipt: { outcomes: { inserted: 9, rejected: 1 } },
    });
    const { rejects } = await numbersOf(database.admin, tenantId);
    expect(rejects).toMatchObject([{ code: 'row_not_daily', line: 11, value: '2024-02-01 to 2024-02-29' }]);
  });
});

describe('the gate', () => {
  it('refuses 899 of 1000 valid rows, passing through staging_complete, and keeps all rejects', async () => {
    const tenantId = newTenant();
    const run = await bench.ingest(tenantId, file(...good(899), ...bad(101)));
    expect(run).toMatchObject({
      status: 'failed',
      error_code: 'below_threshold',
      receipt: {
        read: 1000,
        outcomes: { held_back: 899, rejected: 101 },
        totals: { spend: { outcomes: { held_back: '1348.5' } }, clicks: { outcomes: { held_back: '4495' } } },
      },
    });
    expect(run.error_text).toContain('899 of 1000 rows are valid (89.90 %)');
    const numbers = await numbersOf(database.admin, tenantId);
    expect([numbers.daily_metrics, numbers.rejects?.length]).toEqual([[], 101]);
    const events = await database.admin.query(
      `select type from engine.events where run_id = $1 and type = 'IngestionCompleteEvent'`,
      [run.id],
    );
    expect(events.rows).toEqual([]);
  });

  it('lets 900 of 1000 pass', async () => {
    const run = await bench.ingest(newTenant(), file(...good(900), ...bad(100)));
    expect(run).toMatchObject({
      status: 'completed',
      receipt: { read: 1000, outcomes: { inserted: 900, rejected: 100 } },
    });
  });

  it('can be overridden: the valid rows are promoted and the upload is partial; by a retry of the failed one too', async () => {
    const tenantId = newTenant();
    const forced = await bench.ingest(tenantId, file(...good(5), ...bad(5)), { force_partial: true });
    expect(forced).toMatchObject({
      status: 'partial',
      error_code: 'rows_failed',
      receipt: { outcomes: { inserted: 5, rejected: 5 } },
    });
    const failed = await bench.ingest(tenantId, file(...good(5), ...bad(6)));
    expect(failed.status).toBe('failed');
    const { id } = await bench.engine.retry({ tenantId, by: 'test' }, failed.id, { input: { force_partial: true } });
    expect(await bench.ended(tenantId, id)).toMatchObject({
      status: 'partial',
      retry_of: failed.id,
      receipt: { outcomes: { unchanged: 5, rejected: 6 } },
    });
  });
});

describe('a bad row', () => {
  it('is staged as invalid and shown with line, column, value and reason; its neighbours are promoted', async () => {
    const tenantId = newTenant();
    const rows = good(60);
    rows[3] = `${day(3)},Spring,1001,1.5,100`;
    rows[5] = ` --,Spring,1001,1.5,100,5`;
    rows[7] = `${day(7)},Spring,1.2021E+17,1.5,100,5`;
    rows[9] = `${day(9)},Spring,1001,1.5,-3,5`;
    rows[11] = `${day(11)},,,1.5,100,5`;
    const bytes = Buffer.from(file(...rows).replaceAll('Spring', 'Frühling'));
    bytes[bytes.indexOf('ü', bytes.indexOf(day(13)))] = 0xff;
    const run = await bench.ingest(tenantId, bytes);
    expect(run).toMatchObject({ status: 'completed', receipt: { read: 60, outcomes: { inserted: 54, rejected: 6 } } });
    const { rejects } = await numbersOf(database.admin, tenantId);
    expect(rejects).toMatchObject([
      { line: 5, code: 'parse_error', message: expect.stringContaining('fewer cells') },
      { line: 7, code: 'day_missing', column_name: 'Day' },
      { line: 9, code: 'id_rounded', column_name: 'Campaign ID', value: '1.2021E+17' },
      { line: 11, code: 'number_negative', column_name: 'Impressions', value: '-3' },
      { line: 13, code: 'identity_missing' },
      { line: 15, code: 'parse_error', message: expect.stringContaining('not text in the encoding') },
    ]);
    const staged = await database.admin.query(
      `select row_index, validation_status, validation_errors -> 0 ->> 'code' as code from staged_rows
       where upload_id = $1 and entity_type = 'daily_metric' and row_index in (2, 3) order by 1`,
      [run.id],
    );
    expect(staged.rows).toEqual([
      { row_index: 2, validation_status: 'valid', code: null },
      { row_index: 3, validation_status: 'invalid', code: 'parse_error' },
    ]);
  });

  it('of JSON that no text can hold is refused alone, also where the file is first looked at', async () => {
    const tenantId = newTenant();
    const records = Array.from({ length: 20 }, (_, i) => ({ Day: day(i), 'Campaign ID': '7', Cost: 1, Device: 'TV' }));
    const faulty = [
      { ...records[0], Device: 'T\0V' },
      { ...records[1], Device: '\ud800' },
    ];
    const input = { platform: 'google', filename: 'export.json' } as const;
    const run = await bench.ingest(tenantId, JSON.stringify([...faulty, ...records]), input);
    expect(run).toMatchObject({ status: 'completed', receipt: { outcomes: { inserted: 20, rejected: 2 } } });
    const { rejects } = await numbersOf(database.admin, tenantId);
    expect(rejects).toMatchObject([{ code: 'parse_error' }, { code: 'parse_error' }]);
    const strange = records.map((record) => ({ ...record, 'De\0vice': 'TV' }));
    // A name that cannot be stored is replaced, for all rows alike.
    expect(await bench.ingest(tenantId, JSON.stringify(strange), input)).toMatchObject({
      status: 'completed',
      receipt: { read: 20 },
    });
  });

  it('never turns a masked or absent number into zero', async () => {
    const tenantId = newTenant();
    const text =
      'By Day,Campaign name,Campaign ID,Cost,Impressions,Clicks (destination),Conversions,Currency\n2024-01-01,A,1,2,<5,-,--,IDR\n';
    const run = await bench.ingest(tenantId, text, { platform: 'tiktok' });
    expect(run).toMatchObject({ status: 'completed', receipt: { warnings: { value_masked: 1, value_absent: 2 } } });
    const { daily_metrics } = await numbersOf(database.admin, tenantId);
    expect(daily_metrics).toMatchObject([
      { spend: '2', impressions: null, clicks: null, conversions: null, currency: 'IDR' },
    ]);
  });
});

/** A sheet of blanks that unpacks to a thousand times its size. */
function bomb(): Buffer {
  const sheet = Buffer.concat([Buffer.from('<worksheet><sheetData>'), Buffer.alloc(100 * 1024 * 1024, ' ')]);
  const packed = { bytes: deflateRawSync(sheet, { level: 9 }), crc: 0 };
  return buildWorkbook({ replace: { 'xl/worksheets/sheet1.xml': { content: '', packed, claimedSize: 100 } } });
}

describe('what the database cannot hold', () => {
  const rows = Array.from({ length: 12 }, (_, i) => [day(i), 'Spring', '1001', '1.5', '100', '5']);

  it.each(unstorableFiles(header.split(','), rows))(
    'in $where is replaced, and the rows are stored',
    async ({ text, filename }) => {
      const run = await bench.ingest(newTenant(), text, { filename, on_doubt: 'proceed' });
      expect([run.status, run.error_code, run.receipt?.outcomes?.inserted]).toEqual(['completed', null, 12]);
    },
  );
});

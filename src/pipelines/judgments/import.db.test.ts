// Batches against a real database: what is stored, what is refused, and that every row is accounted for.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useDatabase } from '../../../test/support/database.ts';
import { newTenant } from '../../../test/support/engine.ts';
import {
  casesOf,
  type JudgmentsBench,
  judgmentsFile,
  openJudgmentsBench,
  rejectsOf,
} from '../../../test/support/judgments.ts';
import { countyKey } from './case-row.ts';

const database = useDatabase();
let bench: JudgmentsBench;

beforeAll(async () => {
  bench = await openJudgmentsBench(database.appUrl);
  await bench.engine.start();
});
afterAll(() => bench.close());

const row = (number: string, amount = '100.50', county = 'Kings', defendant = 'Dan Debtor') =>
  `${number},Acme LLC,${defendant},${amount},2024-03-01,${county},acme@example.test,,1 Main St`;

describe('a batch', () => {
  it('ends completed with a receipt that adds up and shows itself in the specification’s view', async () => {
    const tenantId = newTenant();
    const run = await bench.ingest(tenantId, judgmentsFile(row('cv-1', '"$1,234.50"'), row('CV-2')), {
      source_batch_id: 'june',
    });
    expect([run.status, run.error_text]).toEqual(['completed', null]);
    expect(run.receipt).toMatchObject({ read: 2, outcomes: { inserted: 2 }, plaintiffs: 1, reviews: 0 });
    expect(await casesOf(database.admin, tenantId)).toMatchObject([
      { case_number: 'CV-1', county: 'Kings', judgment_amount: '1234.5', filing_date: '2024-03-01', line: 2 },
      { case_number: 'CV-2', dedupe_key: 'email:acme@example.test' },
    ]);
    const { rows } = await database.admin.query('select * from ingest.import_runs where id = $1', [run.id]);
    expect(rows).toMatchObject([
      {
        source_batch_id: 'june',
        status: 'completed',
        record_count: 2,
        error_type: null,
        file_hash: expect.any(String),
      },
    ]);
    expect(Object.keys(rows[0] as object)).toEqual([
      'id',
      'source_batch_id',
      'file_hash',
      'status',
      'record_count',
      'error_type',
      'started_at',
      'completed_at',
      'created_at',
    ]);
  });

  it('uploaded again under another id changes nothing and says so', async () => {
    const tenantId = newTenant();
    const file = judgmentsFile(row('A-1'), row('A-2'));
    await bench.ingest(tenantId, file);
    const before = await casesOf(database.admin, tenantId);
    const again = await bench.ingest(tenantId, file);
    expect(again.receipt).toMatchObject({ read: 2, outcomes: { unchanged: 2 }, plaintiffs: 0 });
    expect(await casesOf(database.admin, tenantId)).toEqual(before);
  });

  it('fails when every row is refused, and keeps the rejects', async () => {
    const tenantId = newTenant();
    const run = await bench.ingest(tenantId, judgmentsFile(row('A-1', '-5'), row('A-2', 'abc')));
    expect([run.status, run.error_code]).toEqual(['failed', 'nothing_imported']);
    expect((await rejectsOf(database.admin, run.id)).map(({ code }) => code)).toEqual([
      'number_negative',
      'number_malformed',
    ]);
    expect(await casesOf(database.admin, tenantId)).toEqual([]);
  });

  it('without a column for the case number fails and says what is missing', async () => {
    const run = await bench.ingest(newTenant(), 'Name,Town\nJane,Here\nJoe,There\n');
    expect([run.status, run.error_code]).toEqual(['failed', 'mapping_incomplete']);
  });
});

describe('a row', () => {
  it('is refused with its code when it is impossible; the others are stored', async () => {
    const tenantId = newTenant();
    const run = await bench.ingest(
      tenantId,
      judgmentsFile(
        row('OK-1'),
        row(''),
        'B-2,Acme,Dan,10,2024-02-30,Kings,,,',
        row('B-3', '-1'),
        row('B-4', '99999999999999'),
        'B-5,Acme,Dan,10,2199-01-01,Kings,,,',
        `B-6,${'x'.repeat(2_000)},Dan,10,2024-01-01,Kings,,,`,
      ),
    );
    expect(run.status).toBe('completed');
    expect(run.receipt).toMatchObject({ read: 7, outcomes: { inserted: 1, rejected: 6 } });
    expect(await rejectsOf(database.admin, run.id)).toMatchObject([
      { line: 3, code: 'case_number_missing', column_name: 'Case Number' },
      { line: 4, code: expect.stringMatching(/^date_/), column_name: 'Filing Date' },
      { line: 5, code: 'number_negative' },
      { line: 6, code: 'amount_absurd', column_name: 'Judgment Amount' },
      { line: 7, code: 'filing_date_in_future' },
      { line: 8, code: 'party_name_too_long', column_name: 'Plaintiff' },
    ]);
  });

  it('is one case however its county is spelt, within a file and against what is stored, and keeps the spelling it came with', async () => {
    const tenantId = newTenant();
    await bench.ingest(tenantId, judgmentsFile(row('CV-1', '10', 'DeKalb')), { source_batch_id: 'spelt-1' });
    const second = judgmentsFile(
      row('CV-1', '20', 'DE KALB COUNTY'),
      row('CV-2', '5', 'St. Clair'),
      row('CV-2', '5', 'ST CLAIR'),
    );
    const { receipt } = await bench.ingest(tenantId, second, { source_batch_id: 'spelt-2' });
    expect(receipt).toMatchObject({ read: 3, outcomes: { updated: 1, inserted: 1, superseded: 1 } });
    expect(
      (await casesOf(database.admin, tenantId)).map(({ county, judgment_amount }) => [county, judgment_amount]),
    ).toEqual([
      ['DeKalb', '20'],
      ['St. Clair', '5'],
    ]);
  });

  it('the database gives a county the key that the import gives it', async () => {
    const counties = [
      ...[
        'KINGS',
        'kings county',
        'De Kalb',
        'DEKALB, County',
        'St. Clair',
        "Prince George's",
        'Prince George’s',
        'Doña Ana',
      ],
      ...['Miami-Dade', 'Queens Co.', 'County', '--', 'Zürich', '京都', 'Ｋｉｎｇｓ'],
    ];
    const { rows } = await database.admin.query<{ key: string | null }>(
      'select intake.county_key(county) as key from unnest($1::text[]) with ordinality as c (county, nth) order by nth',
      [counties],
    );
    expect(rows.map(({ key }) => key)).toEqual(counties.map(countyKey));
  });

  it('twice in a file is collapsed when equal and refused when different; the number in another county is another case', async () => {
    const tenantId = newTenant();
    const run = await bench.ingest(
      tenantId,
      judgmentsFile(
        row('D-1'),
        row('d-1 '),
        row('D-1', '999'),
        row('D-1', '100.50', 'Queens'),
        row('D-1', '100.50', 'KINGS COUNTY'),
        row('D-1', '100.50', ''),
      ),
    );
    expect(run.receipt).toMatchObject({ read: 6, outcomes: { inserted: 3, superseded: 2, rejected: 1 } });
    expect((await casesOf(database.admin, tenantId)).map(({ county }) => county)).toEqual([null, 'Kings', 'Queens']);
    expect(await rejectsOf(database.admin, run.id)).toMatchObject([{ line: 4, code: 'case_repeated' }]);
  });

  it('keeps names in any script, and a case without a plaintiff', async () => {
    const tenantId = newTenant();
    const arabic = 'شركة النور';
    const run = await bench.ingest(
      tenantId,
      judgmentsFile(
        `R-1,${arabic},Zoe\u0301 D,1,2024-01-01,Kings,,,`,
        'R-2,,Dan,1,2024-01-01,Kings,,n/a,',
        'R-3,,Dan,1,2024-01-01,Kings,,,',
      ),
    );
    expect(run.receipt).toMatchObject({ outcomes: { inserted: 3 }, plaintiffs: 1, warnings: { plaintiff_missing: 2 } });
    expect(await casesOf(database.admin, tenantId)).toMatchObject([
      { plaintiff_name: arabic, defendant_name: 'Zo\u00e9 D', dedupe_key: expect.stringMatching(/^name:/) },
      { plaintiff_name: null, dedupe_key: null },
      { plaintiff_name: null, dedupe_key: null },
    ]);
  });
});

describe('a column’s policy', () => {
  const first = judgmentsFile('P-1,Acme,Dan,100,2024-01-01,Kings,a@example.test,,');
  const blank = judgmentsFile('P-1,,,,,Kings,a@example.test,,');
  const stored = async (tenantId: string) => (await casesOf(database.admin, tenantId))[0];

  it('keeps stored values under empty cells, and counts the row as unchanged', async () => {
    const tenantId = newTenant();
    await bench.ingest(tenantId, first);
    const run = await bench.ingest(tenantId, blank);
    expect(run.receipt?.outcomes).toEqual({ unchanged: 1 });
    expect(await stored(tenantId)).toMatchObject({ plaintiff_name: 'Acme', judgment_amount: '100' });
  });

  it('overwrite lets an empty cell land, clear empties the column', async () => {
    const tenantId = newTenant();
    await bench.ingest(tenantId, first);
    const run = await bench.ingest(tenantId, blank, {
      policies: { judgment_amount: 'overwrite', filing_date: 'clear' },
    });
    expect(run.receipt?.outcomes).toEqual({ updated: 1 });
    expect(await stored(tenantId)).toMatchObject({
      plaintiff_name: 'Acme',
      defendant_name: 'Dan',
      judgment_amount: null,
      filing_date: null,
    });
  });

  it('the null token empties one value under keep', async () => {
    const tenantId = newTenant();
    await bench.ingest(tenantId, first);
    const run = await bench.ingest(tenantId, judgmentsFile('P-1,,\\N,\\N,,Kings,a@example.test,,'));
    expect(run.receipt?.outcomes).toEqual({ updated: 1 });
    expect(await stored(tenantId)).toMatchObject({
      plaintiff_name: 'Acme',
      defendant_name: null,
      judgment_amount: null,
      filing_date: '2024-01-01',
    });
  });
});

describe('the guard', () => {
  it('leaves a completed batch as it is, whoever writes', async () => {
    const run = await bench.ingest(newTenant(), judgmentsFile(row('G-1')));
    const set = (sql: string) => database.admin.query(`update engine.runs set ${sql} where id = $1`, [run.id]);
    await expect(set(`status = 'pending', phase = 'waiting', finished_at = null`)).rejects.toThrow(
      'Cannot transition from terminal status: completed',
    );
    await set(`updated_at = engine.now()`);
  });
});

// Everything that files of judgments get wrong, each with the code it is told by; the rows around it are stored all the same.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useDatabase } from '../../../test/support/database.ts';
import { newTenant } from '../../../test/support/engine.ts';
import {
  casesOf,
  type JudgmentsBench,
  judgmentsFile,
  judgmentsHeader,
  openJudgmentsBench,
  plaintiffsOf,
  rejectsOf,
} from '../../../test/support/judgments.ts';
import { unstorableFiles } from '../../../test/support/unstorable-files.ts';

const database = useDatabase();
let bench: JudgmentsBench;

beforeAll(async () => {
  // In small pieces, so that what repeats stands in another piece than what it repeats.
  bench = await openJudgmentsBench(database.appUrl, { deps: { batchBytes: 200, flushRows: 3, loadRows: 2 } });
  await bench.engine.start();
});
afterAll(() => bench.close());

const good = 'GOOD-1,Ann,Dan,10,2024-01-01,Kings,,,';

describe('a row is refused alone, with its code', () => {
  const refused: readonly [string, string, string][] = [
    ['without a case number', ',Ann,Dan,10,2024-01-01,Kings,,,', 'case_number_missing'],
    ['with invisible signs for a number', '\u200b\u202e,Ann,Dan,10,2024-01-01,Kings,,,', 'case_number_missing'],
    ['with a number of 101 characters', `${'9'.repeat(101)},Ann,Dan,10,2024-01-01,Kings,,,`, 'case_number_too_long'],
    ['of the 30th of February', 'B-1,Ann,Dan,10,2024-02-30,Kings,,,', 'date_out_of_range'],
    ['filed in the future', 'B-2,Ann,Dan,10,2199-01-01,Kings,,,', 'filing_date_in_future'],
    ['with a negative amount', 'B-3,Ann,Dan,-10,2024-01-01,Kings,,,', 'number_negative'],
    ['with an amount in brackets', 'B-4,Ann,Dan,(10.00),2024-01-01,Kings,,,', 'number_negative'],
    ['with an absurd amount', 'B-5,Ann,Dan,12345678901234.00,2024-01-01,Kings,,,', 'amount_absurd'],
    [
      'with a party name of 2,000 characters',
      `B-6,${'x'.repeat(2_000)},Dan,1,2024-01-01,Kings,,,`,
      'party_name_too_long',
    ],
    [
      'with a defendant of 2,000 characters',
      `B-7,Ann,${'ж'.repeat(2_000)},1,2024-01-01,Kings,,,`,
      'party_name_too_long',
    ],
    ['with an endless address', `B-8,Ann,Dan,1,2024-01-01,Kings,,,${'y'.repeat(2_001)}`, 'text_too_long'],
  ];

  it.each(refused)('%s', async (_, row, code) => {
    const tenantId = newTenant();
    const run = await bench.ingest(tenantId, judgmentsFile(good, row));
    expect([run.status, run.receipt?.outcomes]).toEqual(['completed', { inserted: 1, rejected: 1 }]);
    expect(await rejectsOf(database.admin, run.id)).toMatchObject([{ line: 3, code }]);
    expect(await casesOf(database.admin, tenantId)).toMatchObject([{ case_number: 'GOOD-1' }]);
  });
});

describe('a row is stored, and what is odd about it is counted', () => {
  const taken: readonly [string, string, Record<string, number>][] = [
    ['with "n/a" for a phone', 'W-1,Ann,Dan,10,2024-01-01,Kings,,n/a,', { phone_unusable: 1 }],
    ['with a phone of five digits', 'W-2,Ann,Dan,10,2024-01-01,Kings,,12345,', { phone_unusable: 1 }],
    ['with something else for an email', 'W-3,Ann,Dan,10,2024-01-01,Kings,not an email,,', { email_unusable: 1 }],
    ['without any plaintiff', 'W-4,,Dan,10,2024-01-01,Kings,,,', { plaintiff_missing: 1 }],
  ];

  it.each(taken)('%s', async (_, row, warnings) => {
    const tenantId = newTenant();
    const run = await bench.ingest(tenantId, judgmentsFile(good, row));
    expect(run.receipt).toMatchObject({ outcomes: { inserted: 2 } });
    expect(run.receipt?.warnings).toEqual(warnings);
    const keys = (await plaintiffsOf(database.admin, tenantId)).map(({ dedupe_key: key }) => key.split(':')[0]);
    expect(new Set(keys)).toEqual(new Set(['name']));
  });

  it('with right-to-left and combining characters, as they were written; two spellings of a name are one key', async () => {
    const tenantId = newTenant();
    const hebrew = 'חברת \u05e9\u05dc\u05d5\u05dd בע״מ';
    const run = await bench.ingest(
      tenantId,
      judgmentsFile(
        `H-1,${hebrew},Zoe\u0301,10,2024-01-01,Kings,,,`,
        'H-2,Jose\u0301 Nun\u0303ez,Dan,10,2024-01-01,Kings,,,',
        'H-3,JOSÉ NÚÑEZ,Dan,10,2024-01-01,Kings,,,',
      ),
    );
    expect(run.receipt).toMatchObject({ outcomes: { inserted: 3 }, plaintiffs: 3, reviews: 1 });
    expect((await casesOf(database.admin, tenantId))[0]).toMatchObject({
      plaintiff_name: hebrew,
      defendant_name: 'Zoé',
    });
  });
});

describe('the same case twice', () => {
  it('is one when equal, refused when different, two in two counties', async () => {
    const row = (number: string, amount: string, county = 'Kings') =>
      `${number},Ann,Dan,${amount},2024-01-01,${county},,,`;
    const others = Array.from({ length: 20 }, (_, index) => row(`O-${index}`, '1'));
    const repeats = [row('T-1', '5.00'), row('T-1', '6'), row('T-1', '5', 'Erie')];
    const run = await bench.ingest(newTenant(), judgmentsFile(row('T-1', '5'), ...others, ...repeats, ...others));
    expect(run.receipt).toMatchObject({ read: 44, outcomes: { inserted: 22, superseded: 21, rejected: 1 } });
    expect(await rejectsOf(database.admin, run.id)).toMatchObject([{ line: 24, code: 'case_repeated' }]);
  });
});

describe('what the database cannot hold', () => {
  const rows = Array.from({ length: 12 }, (_, i) => [`N-${i}`, 'Ann', 'Dan', '10', '2024-01-01', 'Kings', '', '', '']);

  it.each(unstorableFiles(judgmentsHeader.split(','), rows))(
    'in $where is replaced, and the rows are stored',
    async ({ text, filename }) => {
      const run = await bench.ingest(newTenant(), text, { filename, on_doubt: 'proceed' });
      expect([run.status, run.error_code, run.receipt?.outcomes?.inserted]).toEqual(['completed', null, 12]);
    },
  );
});

// Numbers keep every digit on their way from a file into the tables, also those behind the sixteenth, which a binary number does not hold.
import { describe, expect, it } from 'vitest';
import { type AdsBench, openAdsBench } from '../../test/support/ads.ts';
import { useDatabase } from '../../test/support/database.ts';
import { newTenant } from '../../test/support/engine.ts';
import { casesOf, judgmentsHeader, openJudgmentsBench } from '../../test/support/judgments.ts';
import { seededRandom } from '../../test/support/tables.ts';
import { catalogResult } from './items/processors/catalog.ts';

const database = useDatabase();
const random = seededRandom(4711);
const digits = (count: number) => Array.from({ length: count }, () => Math.floor(random() * 10)).join('');
/** Ends in a digit that is no zero, so that it is written as it is stored. */
const long = (whole: number, decimals: number) => `1${digits(whole - 1)}.${digits(decimals - 1)}7`;
const amounts = [long(3, 18), long(12, 9), long(9, 20), long(1, 25), '0.1000000000000000055511151231257827', '2.5'];

/** The same rows as delimited text, as JSON with bare numbers, as lines of JSON and as JSON with texts. */
function written(names: readonly string[], rows: readonly (readonly string[])[], bare: number) {
  const record = (cells: readonly string[], isBare: boolean) =>
    `{${names.map((name, i) => `"${name}":${i === bare && isBare ? cells[i] : `"${cells[i]}"`}`).join(',')}}`;
  return {
    'numbers.csv': [names, ...rows].map((cells) => cells.join(',')).join('\n'),
    'numbers.json': `[${rows.map((cells) => record(cells, true)).join(',')}]`,
    'numbers.ndjson': rows.map((cells) => record(cells, true)).join('\n'),
    'texts.json': `[${rows.map((cells) => record(cells, false)).join(',')}]`,
  };
}

describe('a number of many digits', () => {
  it('is stored as it is written: money of ads', async () => {
    const bench: AdsBench = await openAdsBench(database.appUrl);
    await bench.engine.start();
    const rows = amounts.map((amount, i) => [`2024-01-0${i + 1}`, 'Brand', '120210000000000123', amount, '10']);
    const names = ['Day', 'Campaign name', 'Campaign ID', 'Amount spent (USD)', 'Impressions'];
    for (const [filename, text] of Object.entries(written(names, rows, 3))) {
      const tenantId = newTenant();
      const run = await bench.ingest(tenantId, text, { filename, on_doubt: 'proceed' });
      expect([filename, run.status, run.receipt?.outcomes]).toEqual([
        filename,
        'completed',
        { inserted: amounts.length },
      ]);
      const stored = await database.admin.query(
        'select campaign_external_id as id, spend::text from daily_metrics where workspace_id = $1 order by metric_date',
        [tenantId],
      );
      expect([filename, stored.rows]).toEqual([
        filename,
        amounts.map((spend) => ({ id: '120210000000000123', spend })),
      ]);
      expect((await bench.engine.verify(tenantId, run.id)).differences).toEqual([]);
    }
    await bench.close();
  });

  it('is stored as it is written: amounts of judgments', async () => {
    const bench = await openJudgmentsBench(database.appUrl);
    await bench.engine.start();
    const rows = amounts.map((amount, i) => [`N-${i}`, 'Ann', 'Dan', amount, '2024-01-01', 'Kings', '', '', '']);
    for (const [filename, text] of Object.entries(written(judgmentsHeader.split(','), rows, 3))) {
      const tenantId = newTenant();
      const run = await bench.ingest(tenantId, text, { filename, on_doubt: 'proceed' });
      expect([filename, run.status]).toEqual([filename, 'completed']);
      const cases = await casesOf(database.admin, tenantId);
      expect([filename, cases.map(({ judgment_amount: amount }) => amount)]).toEqual([filename, amounts]);
    }
    await bench.close();
  });

  it('is shown as it is written: prices of a catalogue', () => {
    const priceOf = (price: string) =>
      catalogResult({ row_no: 0, gtin: null, data: { price } } as never, 'sku' as never, 1).price;
    expect(amounts.map(priceOf)).toEqual([...amounts.slice(0, 5), 2.5]);
  });
});

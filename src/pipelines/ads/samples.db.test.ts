// The samples that come with Millrace: each dirty in its own way, each ends completed with every line accounted for.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdsBench, numbersOf, openAdsBench } from '../../../test/support/ads.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { newTenant } from '../../../test/support/engine.ts';

const database = useDatabase();
let bench: AdsBench;
beforeAll(async () => {
  bench = await openAdsBench(database.appUrl);
  await bench.engine.start();
});
afterAll(() => bench.close());

const sample = (name: string) => readFileSync(fileURLToPath(new URL(`../../../samples/${name}`, import.meta.url)));

async function ingest(name: string, platform: 'meta' | 'google' | 'tiktok') {
  const tenantId = newTenant();
  const run = await bench.ingest(tenantId, sample(name), { platform, filename: name });
  const { rejects } = await numbersOf(database.admin, tenantId);
  return { run, codes: (rejects as { code: string }[]).map(({ code }) => code).sort() };
}

describe('the samples', () => {
  it('meta.csv: a BOM, a total without names, a copy, a twin, a cut line, four bad cells and a decimal comma in three', async () => {
    const { run, codes } = await ingest('meta.csv', 'meta');
    expect([run.status, run.error_text]).toEqual(['completed', null]);
    expect(run.receipt).toMatchObject({
      read: 126,
      outcomes: { inserted: 116, superseded: 1, rejected: 9 },
      warnings: { total_row_differs: 3 },
    });
    expect(codes).toEqual([
      'day_missing',
      'duplicate_key',
      'id_rounded',
      'number_malformed',
      'number_malformed',
      'number_malformed',
      'number_malformed',
      'number_negative',
      'parse_error',
    ]);
    const { rows } = await database.admin.query(
      `select cause, count(*)::int as rows, min(suggestion ->> 'label') as label from engine.rejects
       where run_id = $1 and suggestion is not null group by cause`,
      [run.id],
    );
    expect(rows.map(({ rows: count, label }) => [count, label])).toEqual([
      [1, 'add up the rows with the same day and ids'],
      [3, 'looks like a decimal comma'],
    ]);
  });

  it('google.csv: title lines, two totals, devices added up, days written day first', async () => {
    const { run, codes } = await ingest('google.csv', 'google');
    expect([run.status, run.error_text]).toEqual(['completed', null]);
    expect(run.receipt).toMatchObject({ read: 126, furniture: 5, outcomes: { inserted: 42, merged: 82, rejected: 2 } });
    expect(codes).toEqual(['day_missing', 'number_malformed']);
  });

  it('tiktok.csv: masked counts, dashes, a currency without cents, a day that does not exist', async () => {
    const { run, codes } = await ingest('tiktok.csv', 'tiktok');
    expect([run.status, run.error_text]).toEqual(['completed', null]);
    expect(run.receipt).toMatchObject({
      read: 84,
      outcomes: { inserted: 82, rejected: 2 },
      warnings: { value_masked: 28 },
    });
    expect(codes).toEqual(['date_out_of_range', 'number_malformed']);
  });
});

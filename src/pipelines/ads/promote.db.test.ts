import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdsBench, numbersOf, openAdsBench } from '../../../test/support/ads.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { newTenant } from '../../../test/support/engine.ts';
import { waitFor } from '../../../test/support/wait-for.ts';

const database = useDatabase();
let bench: AdsBench;

beforeAll(async () => {
  // Small batches, so that a small file has several.
  bench = await openAdsBench(database.appUrl, { deps: { promotionRows: 2 } });
  await bench.engine.start();
});
afterAll(() => bench.close());

const header =
  'Day,Campaign name,Campaign ID,Ad set name,Ad set ID,Ad name,Ad ID,Amount spent (USD),Impressions,Clicks (all)';
const row = (day: string, ad: string, spend: string, impressions = '100', clicks = '5') =>
  `${day},Spring,1001,Shoes,2001,Ad ${ad},${ad},${spend},${impressions},${clicks}`;
const file = (...rows: string[]) => `${[header, ...rows].join('\n')}\n`;

async function metrics(tenantId: string) {
  return (await numbersOf(database.admin, tenantId)).daily_metrics as Record<string, unknown>[];
}

describe('an upload', () => {
  it('ends completed with a receipt that adds up, rows in every table and one event', async () => {
    const tenantId = newTenant();
    const run = await bench.ingest(
      tenantId,
      file(
        row('2024-01-01', '1', '1.50'),
        row('2024-01-02', '1', '2.25'),
        row('2024-01-01', '2', '"1,000.25"', '"203,834"'),
      ),
    );
    expect([run.status, run.error_text]).toEqual(['completed', null]);
    expect(run.receipt).toMatchObject({
      read: 3,
      outcomes: { inserted: 3 },
      totals: {
        spend: { file: '1004', outcomes: { inserted: '1004' } },
        impressions: { file: '204034' },
        clicks: { file: '15' },
      },
    });
    const numbers = await numbersOf(database.admin, tenantId);
    expect(numbers.campaigns).toMatchObject([{ external_id: '1001', name: 'Spring', inferred: false }]);
    expect(numbers.ads).toMatchObject([
      { external_id: '1', campaign_external_id: '1001', ad_set_external_id: '2001' },
      { external_id: '2' },
    ]);
    expect(numbers.daily_metrics).toMatchObject([
      { metric_date: '2024-01-01', ad_external_id: '1', spend: '1.5', currency: 'USD', line: 2, has_ad: true },
      { ad_external_id: '2', spend: '1000.25', impressions: 203_834 },
      { metric_date: '2024-01-02', ad_external_id: '1', spend: '2.25', line: 3 },
    ]);
    const events = await database.admin.query('select type, data from engine.events where run_id = $1 and type = $2', [
      run.id,
      'IngestionCompleteEvent',
    ]);
    expect(events.rows).toHaveLength(1);
    expect(events.rows[0].data).toEqual({
      upload_id: run.id,
      workspace_id: tenantId,
      client_id: null,
      platform: 'meta',
      status: 'completed',
      metrics: {
        total_rows: 3,
        promoted_rows: 3,
        failed_rows: 0,
        campaigns_upserted: 1,
        ad_sets_upserted: 1,
        ads_upserted: 2,
        daily_metrics_upserted: 3,
      },
      affected_dates: ['2024-01-01', '2024-01-02'],
      timestamp: expect.stringMatching(/^\d{4}-/),
    });
    const upload = await database.admin.query('select * from data_uploads where id = $1', [run.id]);
    expect(upload.rows[0]).toMatchObject({
      workspace_id: tenantId,
      status: 'completed',
      row_count: 3,
      event_emitted: true,
      platform: 'meta',
      source: 'manual',
      filename: 'export.csv',
    });
  });

  it('uploaded again changes nothing: every row is unchanged and not rewritten', async () => {
    const tenantId = newTenant();
    const text = file(row('2024-01-01', '1', '1.50'), row('2024-01-02', '1', '2.25'));
    await bench.ingest(tenantId, text);
    const before = await database.admin.query(
      'select id, xmin::text, ctid::text from daily_metric_rows where workspace_id = $1 order by id',
      [tenantId],
    );
    const again = await bench.ingest(tenantId, text);
    expect(again.receipt).toMatchObject({ read: 2, outcomes: { unchanged: 2 } });
    const after = await database.admin.query(
      'select id, xmin::text, ctid::text from daily_metric_rows where workspace_id = $1 order by id',
      [tenantId],
    );
    expect(after.rows).toEqual(before.rows);
  });

  it('uploaded again with one number changed far down changes that number alone, and says of each row how it ended', async () => {
    const tenantId = newTenant();
    const days = Array.from({ length: 28 }, (_, n) => `2024-01-${String(n + 1).padStart(2, '0')}`);
    const textWith = (spendOf: (day: string) => string) => file(...days.map((day) => row(day, '1', spendOf(day))));
    await bench.ingest(
      tenantId,
      textWith(() => '1'),
    );
    const same = await bench.ingest(
      tenantId,
      textWith(() => '1'),
    );
    expect(same.receipt).toMatchObject({
      outcomes: { unchanged: 28 },
      totals: { spend: { outcomes: { unchanged: '28' } } },
    });
    const changed = await bench.ingest(
      tenantId,
      textWith((day) => (day === '2024-01-20' ? '2' : '1')),
    );
    expect(changed.receipt).toMatchObject({ outcomes: { unchanged: 27, updated: 1 } });
    const { rows } = await database.admin.query(
      `select outcome, range_agg(range)::text as rows from engine.row_outcomes o, unnest(o.rows) as range
       where run_id = $1 group by outcome order by outcome`,
      [changed.id],
    );
    expect(rows).toEqual([
      { outcome: 'unchanged', rows: '{[0,19),[20,28)}' },
      { outcome: 'updated', rows: '{[19,20)}' },
    ]);
    expect((await metrics(tenantId)).filter(({ spend }) => spend === '2')).toHaveLength(1);
  });

  it('that restates a number updates it and keeps the value as it was reported before', async () => {
    const tenantId = newTenant();
    await bench.ingest(tenantId, file(row('2024-01-01', '1', '1.50'), row('2024-01-02', '1', '3')));
    const run = await bench.ingest(tenantId, file(row('2024-01-01', '1', '1.75'), row('2024-01-02', '1', '3')));
    expect(run.receipt).toMatchObject({
      outcomes: { updated: 1, unchanged: 1 },
      totals: { spend: { file: '4.75', outcomes: { updated: '1.75', unchanged: '3' } } },
    });
    const numbers = await numbersOf(database.admin, tenantId);
    expect(numbers.daily_metrics).toMatchObject([{ spend: '1.75' }, { spend: '3' }]);
    expect(numbers.history).toMatchObject([{ metric_date: '2024-01-01', spend: '1.5' }]);
  });

  it('reported earlier never overwrites newer numbers; its rows count as stale', async () => {
    const tenantId = newTenant();
    await bench.ingest(tenantId, file(row('2024-01-01', '1', '2')), {
      reported_at: '2024-02-02T00:00:00Z',
      reported_at_given: true,
    });
    const late = await bench.ingest(tenantId, file(row('2024-01-01', '1', '1'), row('2024-01-02', '1', '7')), {
      reported_at: '2024-02-01T00:00:00Z',
      reported_at_given: true,
    });
    expect(late.receipt).toMatchObject({ read: 2, outcomes: { inserted: 1, stale: 1 } });
    expect(await metrics(tenantId)).toMatchObject([{ spend: '2' }, { spend: '7' }]);
    const stale = await bench.ingest(tenantId, file(row('2024-01-01', '1', '1')), {
      reported_at: '2024-02-01T00:00:00Z',
      reported_at_given: true,
    });
    expect(stale).toMatchObject({ status: 'failed', error_code: 'nothing_newer' });
  });

  it('that confirms a number later protects it from files reported in between', async () => {
    const tenantId = newTenant();
    const given = (reported_at: string) => ({ reported_at, reported_at_given: true });
    await bench.ingest(tenantId, file(row('2024-01-01', '1', '5')), given('2024-02-01T00:00:00Z'));
    const confirming = await bench.ingest(tenantId, file(row('2024-01-01', '1', '5')), given('2024-02-03T00:00:00Z'));
    expect(confirming.receipt).toMatchObject({ outcomes: { unchanged: 1 } });
    await bench.ingest(tenantId, file(row('2024-01-01', '1', '7')), given('2024-02-02T00:00:00Z'));
    const numbers = await numbersOf(database.admin, tenantId);
    expect(numbers.daily_metrics).toMatchObject([{ spend: '5' }]);
    expect(numbers.history).toEqual([]);
  });

  it('with the same key twice collapses equal lines and refuses the later of different ones', async () => {
    const tenantId = newTenant();
    const rows = Array.from({ length: 20 }, (_, i) => row(`2024-01-${String(i + 1).padStart(2, '0')}`, '1', '1'));
    const run = await bench.ingest(tenantId, file(...rows, row('2024-01-01', '1', '1'), row('2024-01-02', '1', '9')));
    expect(run.status).toBe('completed');
    expect(run.receipt).toMatchObject({
      read: 22,
      outcomes: { inserted: 20, superseded: 1, rejected: 1 },
      totals: { spend: { file: '30', outcomes: { inserted: '20', superseded: '1', rejected: '9' } } },
    });
    const { rejects } = await numbersOf(database.admin, tenantId);
    expect(rejects).toMatchObject([
      {
        line: 23,
        code: 'duplicate_key',
        message: 'Line 3 has the same day and ids with other numbers.',
        item: { 'Amount spent (USD)': '9' },
      },
    ]);
  });

  it('with a segment column adds the parts of one number up, equal parts too', async () => {
    const tenantId = newTenant();
    const text =
      'Day,Campaign,Campaign ID,Device,Cost,Impr.,Clicks,Currency code\n' +
      ['Mobile,2,10,1', 'Desktop,2,10,1', 'Tablet,3.5,5,0', 'Tablet,3.5,5,0']
        .map((part) => `2024-01-01,Brand,77,${part},EUR\n`)
        .join('');
    const run = await bench.ingest(tenantId, text, { platform: 'google' });
    expect(run.error_text).toBeNull();
    expect(run.receipt).toMatchObject({
      read: 4,
      outcomes: { inserted: 1, merged: 2, superseded: 1 },
      totals: { spend: { file: '11', outcomes: { inserted: '2', merged: '5.5', superseded: '3.5' } } },
    });
    expect(await metrics(tenantId)).toMatchObject([
      { spend: '7.5', impressions: 25, clicks: 2, campaign_external_id: '77', currency: 'EUR' },
    ]);
  });

  it('without ids gets stable ones from the names, marked as derived, and the next file meets the same', async () => {
    const tenantId = newTenant();
    const text = (cost: string) =>
      `Campaign report\n"January 1, 2024 - January 2, 2024"\nDay,Campaign,Cost,Impr.,Clicks,Currency code\n2024-01-01,Brand,${cost},"1,200", --,EUR\nTotal: Campaigns, --,${cost},"1,200",0,EUR\n`;
    const run = await bench.ingest(tenantId, text('3.5'), { platform: 'google' });
    expect([run.status, run.error_text]).toEqual(['completed', null]);
    expect(run.receipt).toMatchObject({
      read: 1,
      furniture: 4,
      totals: { spend: { file: '3.5', declared: '3.5', declared_agrees: true } },
      warnings: { value_absent: 1 },
    });
    await bench.ingest(tenantId, text('4'), { platform: 'google' });
    const numbers = await numbersOf(database.admin, tenantId);
    expect(numbers.campaigns).toMatchObject([
      { external_id: expect.stringMatching(/^name:[0-9a-f]{32}$/), name: 'Brand', id_derived: true },
    ]);
    expect(numbers.daily_metrics).toMatchObject([
      { spend: '4', clicks: null, ad_external_id: null, has_campaign: true },
    ]);
  });

  it('of a client keeps its numbers apart from those of no client', async () => {
    const tenantId = newTenant();
    const client = newTenant();
    await bench.ingest(tenantId, file(row('2024-01-01', '1', '1')));
    await bench.ingest(tenantId, file(row('2024-01-01', '1', '2')), { client_id: client });
    expect((await metrics(tenantId)).map(({ spend }) => spend).sort()).toEqual(['1', '2']);
  });

  it('uploaded again meets its own numbers among the same ads of other clients and of none', async () => {
    const tenantId = newTenant();
    const owners = [{}, { client_id: newTenant() }, { client_id: newTenant() }];
    const days = Array.from({ length: 9 }, (_, n) => `2024-02-0${n + 1}`);
    const textOf = (owner: number) => file(...days.map((day) => row(day, '1', String(owner + 1))));
    for (const [n, owner] of owners.entries()) await bench.ingest(tenantId, textOf(n), owner);
    for (const [n, owner] of owners.entries()) {
      const again = await bench.ingest(tenantId, textOf(n), owner);
      expect(again.receipt).toMatchObject({
        outcomes: { unchanged: 9 },
        totals: { spend: { file: String(9 * (n + 1)) } },
      });
    }
    expect(await metrics(tenantId)).toHaveLength(27);
  });

  it('uploaded again with refused, repeated and outdated lines says of each row how it ended', async () => {
    const tenantId = newTenant();
    const day = (n: number) => `2024-03-${String(n).padStart(2, '0')}`;
    const lines = Array.from({ length: 12 }, (_, n) => row(day(n + 1), '1', n === 4 ? 'much' : '1'));
    const text = file(...lines, row(day(9), '1', '1'));
    await bench.ingest(tenantId, text);
    const again = await bench.ingest(tenantId, text);
    expect(again.receipt).toMatchObject({ read: 13, outcomes: { unchanged: 11, superseded: 1, rejected: 1 } });
    await bench.ingest(tenantId, file(row(day(2), '1', '5')), {
      reported_at: '2099-01-01T00:00:00Z',
      reported_at_given: true,
    });
    const late = await bench.ingest(tenantId, text);
    expect(late.receipt).toMatchObject({ outcomes: { unchanged: 10, stale: 1, superseded: 1, rejected: 1 } });
    const rangesOf = async (runId: string) => {
      const { rows } = await database.admin.query(
        `select outcome, range_agg(range)::text as rows from engine.row_outcomes o, unnest(o.rows) as range
         where run_id = $1 group by outcome order by outcome`,
        [runId],
      );
      return rows;
    };
    expect(await rangesOf(again.id)).toEqual([{ outcome: 'unchanged', rows: '{[0,4),[5,12)}' }]);
    expect(await rangesOf(late.id)).toEqual([
      { outcome: 'stale', rows: '{[1,2)}' },
      { outcome: 'unchanged', rows: '{[0,1),[2,4),[5,12)}' },
    ]);
  });

  it('whose row the database refuses promotes the others, ends partial and shows the row', async () => {
    const tenantId = newTenant();
    await database.admin.query('alter table daily_metric_rows add constraint no_666 check (spend <> 666)');
    const rows = Array.from({ length: 30 }, (_, i) =>
      row(`2024-01-${String(i + 1).padStart(2, '0')}`, '1', i === 17 ? '666' : '1'),
    );
    const run = await bench.ingest(tenantId, file(...rows));
    await database.admin.query('alter table daily_metric_rows drop constraint no_666');
    expect(run).toMatchObject({ status: 'partial', receipt: { read: 30, outcomes: { inserted: 29, rejected: 1 } } });
    const { rejects } = await numbersOf(database.admin, tenantId);
    expect(rejects).toMatchObject([
      { line: 19, code: 'promotion_failed', item: { 'Ad ID': '1', 'Amount spent (USD)': '666' } },
    ]);
  });

  it('whose row the database refuses shows that row as the file has it: names, unmapped columns, numbers in its own style', async () => {
    const tenantId = newTenant();
    const rows = Array.from(
      { length: 12 },
      (_, i) => `2024-01-${String(i + 1).padStart(2, '0')};"Été; soldes";${i === 5 ? '666,50' : '1,25'};100;note ${i}`,
    );
    const text = `Jour;Nom de la campagne;Montant dépensé (EUR);Impressions;Remarque\n${rows.join('\n')}\n`;
    await database.admin.query('alter table daily_metric_rows add constraint no_666 check (spend <> 666.5)');
    const run = await bench.ingest(tenantId, text);
    await database.admin.query('alter table daily_metric_rows drop constraint no_666');
    expect(run).toMatchObject({ status: 'partial', receipt: { outcomes: { inserted: 11, rejected: 1 } } });
    const { rejects } = await numbersOf(database.admin, tenantId);
    const item = { 'Nom de la campagne': 'Été; soldes', 'Montant dépensé (EUR)': '666,50', Remarque: 'note 5' };
    expect(rejects).toMatchObject([{ line: 7, code: 'promotion_failed', item }]);
  });

  it('with numbers of as many digits as can be stored keeps every one of them, also of lines refused together', async () => {
    const tenantId = newTenant();
    const days = Array.from({ length: 12 }, (_, n) => `2024-02-${String(n + 1).padStart(2, '0')}`);
    const part = (day: string, device: string, spend: string) =>
      `${day},Parts,5005,${device},${spend},9007199254740991`;
    const lines = [
      ...days.map((day) => part(day, 'Mobile', '123456789012345.61')),
      ...['Desktop', 'Tablet', 'TV'].map((device) => part('2024-02-12', device, '123456789012345.67')),
    ];
    await database.admin.query(
      `alter table daily_metric_rows add constraint no_12 check (metric_date <> '2024-02-12') not valid`,
    );
    const run = await bench.ingest(
      tenantId,
      ['Day,Campaign name,Campaign ID,Device,Amount spent (USD),Impressions', ...lines].join('\n'),
    );
    await database.admin.query('alter table daily_metric_rows drop constraint no_12');
    expect(run.receipt).toMatchObject({
      outcomes: { inserted: 11, rejected: 4 },
      totals: {
        spend: { outcomes: { inserted: '1358024679135801.71', rejected: '493827156049382.62' } },
        impressions: { outcomes: { inserted: '99079191802150901', rejected: '36028797018963964' } },
      },
    });
    expect((await bench.engine.verify(tenantId, run.id)).differences).toEqual([]);
  });

  it('whose row the database refuses shows the lines that were added to it, too: each can be replayed', async () => {
    const tenantId = newTenant();
    const part = (day: number, device: string, spend: string) =>
      `2024-02-${String(day).padStart(2, '0')},Parts,5005,${device},${spend},10`;
    const rows = Array.from({ length: 10 }, (_, i) => part(i + 1, 'Mobile', '1'));
    const text = ['Day,Campaign name,Campaign ID,Device,Amount spent (USD),Impressions', ...rows];
    await database.admin.query('alter table daily_metric_rows add constraint no_666 check (spend <> 666)');
    const run = await bench.ingest(
      tenantId,
      [...text, part(11, 'Mobile', '600'), part(12, 'Mobile', '1'), part(11, 'Desktop', '66')].join('\n'),
    );
    await database.admin.query('alter table daily_metric_rows drop constraint no_666');
    expect(run).toMatchObject({
      status: 'partial',
      receipt: {
        read: 13,
        outcomes: { inserted: 11, rejected: 2 },
        totals: { spend: { outcomes: { rejected: '666' } } },
      },
    });
    const { rejects } = await numbersOf(database.admin, tenantId);
    expect(rejects).toMatchObject([
      { line: 12, code: 'promotion_failed', item: { Device: 'Mobile', 'Amount spent (USD)': '600' } },
      { line: 14, code: 'promotion_failed', item: { Device: 'Desktop', 'Amount spent (USD)': '66' } },
    ]);
  });

  it('whose ads are new but whose numbers somebody else has stored runs into them once, not in every batch', async () => {
    const tenantId = newTenant();
    const rows = Array.from({ length: 600 }, (_, i) =>
      row(new Date(Date.UTC(2024, 0, 1 + (i % 300))).toISOString().slice(0, 10), String(Math.floor(i / 300)), '1.25'),
    );
    await bench.ingest(tenantId, file(...rows));
    for (const table of ['ads', 'ad_sets', 'campaigns'])
      await database.admin.query(`delete from ${table} where workspace_id = $1`, [tenantId]);
    const run = await bench.ingest(tenantId, `${file(...rows)}\n`);
    expect(run).toMatchObject({ status: 'completed', receipt: { outcomes: { unchanged: 600 } } });
    // Decisions are written down in pieces, and the last of them after the run has ended.
    const size = await waitFor(
      async () => {
        const { rows } = await database.admin.query<{ largest: number | null }>(
          `select max(to_size) as largest from engine.decisions where run_id = $1 and size_name = 'rows per promotion batch'`,
          [run.id],
        );
        return (rows[0]?.largest ?? 0) > 100 && rows[0]?.largest;
      },
      { what: 'the sizes of its batches' },
    );
    expect(size).toBeGreaterThan(100);
  });

  it('uploaded three times at once stores every row once, whichever comes first', async () => {
    const tenantId = newTenant();
    const rows = Array.from({ length: 3_000 }, (_, i) =>
      row(new Date(Date.UTC(2024, 0, 1 + (i % 300))).toISOString().slice(0, 10), String(Math.floor(i / 300)), '1.25'),
    );
    const reported_at = '2024-06-01T00:00:00Z';
    const ids = await Promise.all([1, 2, 3].map(() => bench.submit(tenantId, file(...rows), { reported_at })));
    const runs = await Promise.all(ids.map((id) => bench.ended(tenantId, id)));
    expect(runs.map(({ status }) => status)).toEqual(['completed', 'completed', 'completed']);
    const outcomes = runs.map(({ receipt }) => receipt?.outcomes ?? {});
    expect(outcomes.reduce((sum, each) => sum + (each.inserted ?? 0), 0)).toBe(3_000);
    expect(outcomes.reduce((sum, each) => sum + (each.unchanged ?? 0), 0)).toBe(6_000);
    expect(await metrics(tenantId)).toHaveLength(3_000);
  });
});

// Reports of several grains for the same day, reports without days, and files that are read again: which numbers count, and who says so.
import { describe, expect, it } from 'vitest';
import { useAdsApi } from '../../../../test/support/use-ads-api.ts';

const adsApi = useAdsApi();
const { db, api, upload, ended, asUpload, asRun } = adsApi;

const ingest = async (text: string, fields: Record<string, string> = {}) => {
  const { upload_id: id } = (await upload(text, { platform: 'google', ...fields })).json();
  return ended(id);
};
const totals = async (query: Record<string, string>) =>
  (await api.call('ads.totals', { as: adsApi.admin, query })).json().data;
const numbers = async (query: Record<string, string>) =>
  (await api.call('ads.daily-metrics', { as: adsApi.admin, query })).json().data;

const byCampaign = (day: string, spend: string, campaign = 'Shoes') =>
  `Campaign report\n"${day} - ${day}"\nDay,Campaign,Campaign ID,Currency code,Cost,Impr.,Clicks\n${day},${campaign},77,EUR,${spend},1000,50\n`;
const bySearchTerm = (day: string, ...spends: string[]) =>
  [
    'Search terms report',
    `"${day} - ${day}"`,
    'Search term,Match type,Day,Campaign,Campaign ID,Ad group,Ad group ID,Currency code,Cost,Impr.,Clicks',
    ...spends.map((spend, n) => `term ${n},Exact match,${day},Shoes,77,Runners,88,EUR,${spend},10,1`),
  ].join('\n');

describe('a report that lists a part of the day', () => {
  it('never replaces fuller figures, whichever comes first, and everybody is told which grain counts', async () => {
    for (const [day, order] of [
      ['2026-03-01', ['whole', 'part']],
      ['2026-03-02', ['part', 'whole']],
    ] as const) {
      for (const which of order) {
        const run = await ingest(which === 'whole' ? byCampaign(day, '100') : bySearchTerm(day, '10', '20.5'));
        expect(run).toMatchObject({
          status: 'completed',
          receipt: { grain: which === 'whole' ? 'campaign' : 'search_term' },
        });
      }
      const [total] = await totals({ by: 'day', since: day, until: day });
      expect(total).toMatchObject({ measures: { spend: '100', clicks: '50' }, grains: ['campaign'], is_part: false });
      const stored = await db.admin.query(
        `select grain, spend, is_winner from daily_metrics_by_grain where workspace_id = $1 and metric_date = $2 order by grain`,
        [adsApi.admin.tenantId, day],
      );
      expect(stored.rows).toEqual([
        { grain: 'campaign', spend: '100', is_winner: true },
        { grain: 'search_term', spend: '30.5', is_winner: false },
      ]);
      const winning = await db.admin.query(
        `select grain, spend from daily_metrics where workspace_id = $1 and metric_date = $2`,
        [adsApi.admin.tenantId, day],
      );
      expect(winning.rows).toEqual([{ grain: 'campaign', spend: '100' }]);
    }
  });

  it('names the days on which it counts for nothing on its receipt', async () => {
    await ingest(byCampaign('2026-03-05', '100'));
    const run = await ingest(bySearchTerm('2026-03-05', '10'));
    expect(run.receipt).toMatchObject({ outranked_days: ['2026-03-05'], outranked_day_count: 1 });
  });

  it('counts alone where nothing else is known of the day, and the total says that it is a part', async () => {
    const run = await ingest(bySearchTerm('2026-03-03', '1', '2'));
    expect(run.receipt).not.toHaveProperty('outranked_days');
    const [total] = await totals({ by: 'day', since: '2026-03-03', until: '2026-03-03' });
    expect(total).toMatchObject({ measures: { spend: '3' }, grains: ['search_term'], is_part: true });
    expect((await api.call('runs.verify', asRun(run.id))).json()).toMatchObject({ matches: true });
  });
});

describe('several whole grains of a day', () => {
  const byAd = (day: string, ...spends: string[]) =>
    [
      'Day,Campaign,Campaign ID,Ad group,Ad group ID,Ad name,Ad ID,Currency code,Cost,Impr.,Clicks',
      ...spends.map((spend, n) => `${day},Shoes,77,Runners,88,Ad ${n},9${n},EUR,${spend},500,25`),
    ].join('\n');

  it('the fullest counts: a report by ad that lacks one is outranked by the campaign, and wins once it is whole', async () => {
    const day = '2026-04-01';
    await ingest(byCampaign(day, '100'));
    await ingest(byAd(day, '60'));
    const ofDay = () => totals({ by: 'day', since: day, until: day });
    expect(await ofDay()).toMatchObject([{ measures: { spend: '100' }, grains: ['campaign'] }]);
    // What is asked by ad can only be told by the report that has ads.
    expect(await totals({ by: 'ad', since: day, until: day })).toMatchObject([
      { key: '90', measures: { spend: '60' }, grains: ['ad'] },
    ]);
    expect(await numbers({ grain: 'ad', since: day, until: day })).toMatchObject([{ grain: 'ad', counts: false }]);
    await ingest(byAd(day, '60', '40'));
    expect(await ofDay()).toMatchObject([{ measures: { spend: '100' }, grains: ['ad'], rows: 2 }]);
  });

  it('an account’s number and its campaigns’ are not added', async () => {
    const day = '2026-04-02';
    await ingest(byCampaign(day, '100'));
    await ingest(`Day,Currency code,Cost,Impr.,Clicks\n${day},EUR,130,1200,60\n`);
    expect(await totals({ by: 'day', since: day, until: day })).toMatchObject([
      { measures: { spend: '130' }, grains: ['account'] },
    ]);
    expect(await totals({ by: 'campaign', since: day, until: day })).toMatchObject([{ measures: { spend: '100' } }]);
  });
});

describe('a report without days', () => {
  const ofRange =
    'Reporting starts,Reporting ends,Campaign name,Campaign ID,Amount spent (EUR),Impressions\n2026-05-01,2026-05-31,May,55,310,9000\n';

  it('says "export it by day" and offers the range as one period, stored as such and added to no day', async () => {
    const failed = await ingest(ofRange, { platform: 'meta' });
    expect(failed).toMatchObject({ status: 'failed', error_code: 'report_without_days' });
    expect(failed.error_text).toContain('2026-05-01 to 2026-05-31');
    const again = await api.call('uploads.reread', { ...asUpload(failed.id), body: { as_period: true } });
    expect([again.statusCode, again.json()]).toMatchObject([202, { retry_of: failed.id }]);
    const run = await ended(again.json().upload_id);
    expect(run).toMatchObject({ status: 'completed', receipt: { grain: 'period', outcomes: { inserted: 1 } } });
    expect(await totals({ by: 'day', campaign: '55' })).toEqual([]);
    expect(await numbers({ grain: 'period', campaign: '55' })).toMatchObject([
      { metric_date: '2026-05-01', period_end: '2026-05-31', counts: false, measures: { spend: '310' } },
    ]);
    expect((await api.call('runs.verify', asRun(run.id))).json()).toMatchObject({ matches: true });
    // Said for that file, not for its kind.
    expect(await ingest(ofRange.replace('310', '311'), { platform: 'meta' })).toMatchObject({
      error_code: 'report_without_days',
    });
  });

  it('of a single day is of that day, without a person', async () => {
    const text =
      'Campaign report\n"June 3, 2026 - June 3, 2026"\nCampaign,Campaign ID,Currency code,Cost,Impr.\nOne,66,EUR,5,100\n';
    expect(await ingest(text)).toMatchObject({ status: 'completed' });
    expect(await numbers({ campaign: '66' })).toMatchObject([{ metric_date: '2026-06-03', grain: 'campaign' }]);
    const range = text.replace('June 3, 2026"', 'June 30, 2026"');
    expect(await ingest(range)).toMatchObject({ status: 'failed', error_code: 'report_without_days' });
  });

  it('has the day that was said for it, and next month’s file asks again', async () => {
    const text = (spend: string) =>
      `Campaign name,Campaign ID,Amount spent (EUR),Impressions\nDayless,44,${spend},100\n`;
    const failed = await ingest(text('1'), { platform: 'meta' });
    expect(failed).toMatchObject({ status: 'failed', error_code: 'mapping_incomplete' });
    const body = { columns: [], constants: { metric_date: '2026-07-01', currency: 'EUR' } };
    const saved = await api.call('uploads.map', { ...asUpload(failed.id), body });
    expect(saved.json()).toMatchObject({ missing: [], constants: { metric_date: '2026-07-01' } });
    const retried = await api.call('runs.retry', { ...asRun(failed.id), body: {} });
    expect(await ended(retried.json().run_id)).toMatchObject({ status: 'completed' });
    expect(await numbers({ campaign: '44' })).toMatchObject([{ metric_date: '2026-07-01' }]);
    expect(await ingest(text('2'), { platform: 'meta' })).toMatchObject({ error_code: 'mapping_incomplete' });
    expect(await ingest(text('2'), { platform: 'meta', day: '2026-08-01' })).toMatchObject({ status: 'completed' });
    expect((await numbers({ campaign: '44' })).map((row: { metric_date: string }) => row.metric_date)).toEqual([
      '2026-08-01',
      '2026-07-01',
    ]);
  });
});

describe('a completed run read again', () => {
  it('takes over or takes back what it still owns, as old as before, and what was restated since stays', async () => {
    const text = (...rows: string[]) => ['Day,Campaign,Campaign ID,Currency code,Cost,Other,Impr.', ...rows].join('\n');
    const before = await ingest(text('2026-09-01,Again,99,EUR,7,70,100'), { reported_at: '2026-09-02T00:00:00Z' });
    expect(before).toMatchObject({ status: 'completed' });
    const wrong = await ingest(text('2026-09-01,Again,99,EUR,8,80,100', '2026-09-02,Again,99,EUR,9,90,100'), {
      reported_at: '2026-09-03T00:00:00Z',
    });
    await ingest(text('2026-09-02,Again,99,EUR,9.5,95,100'), { reported_at: '2026-09-04T00:00:00Z' });
    const mapping = (await api.call('uploads.mapping', asUpload(wrong.id))).json();
    const indexOf = (header: string) =>
      mapping.columns.find((each: { header: string }) => each.header === header).index;
    const columns = [
      { index: indexOf('Cost'), field: null },
      { index: indexOf('Other'), field: 'spend' },
      { index: indexOf('Campaign'), field: null },
      { index: indexOf('Campaign ID'), field: null },
    ];
    await api.call('uploads.map', { ...asUpload(wrong.id), body: { columns } });
    const answer = await api.call('uploads.reread', { ...asUpload(wrong.id), body: {} });
    expect(answer.json()).toMatchObject({ reread_of: wrong.id });
    const run = await ended(answer.json().upload_id);
    expect(run).toMatchObject({ status: 'completed', receipt: { outcomes: { inserted: 2 } } });
    expect(run.input).toMatchObject({ reread_of: wrong.id, reported_at: '2026-09-03T00:00:00Z' });
    expect(run.receipt).toMatchObject({ taken_back: { removed: 0, restored: 1 } });
    const stored = await db.admin.query(
      `select metric_date, spend, run_id from daily_metrics_by_grain where workspace_id = $1 and campaign_external_id = '99' order by 1`,
      [adsApi.admin.tenantId],
    );
    expect(stored.rows).toMatchObject([
      { metric_date: '2026-09-01', spend: '7', run_id: before.id },
      { metric_date: '2026-09-02', spend: '9.5' },
    ]);
    const twice = await api.call('uploads.reread', { ...asUpload(wrong.id), body: {} });
    expect([twice.statusCode, twice.json().code]).toEqual([409, 'already_reread']);
  });
});

describe('a total row', () => {
  it('that differs from its rows by their rounding is no warning; one that differs by more is', async () => {
    const text = (total: string) =>
      `Day,Campaign,Campaign ID,Currency code,Cost,Impr.\n2026-10-01,R,31,EUR,1.33,10\n2026-10-02,R,31,EUR,1.33,10\n2026-10-03,R,31,EUR,1.33,10\nTotal: Campaigns, --, --,EUR,${total},30\n`;
    const rounded = await ingest(text('4.00'));
    expect(rounded.receipt).toMatchObject({
      warnings: {},
      totals: { spend: { declared: '4', declared_agrees: true } },
    });
    // A total above its rows would be asked about before anything is stored.
    const other = await ingest(text('3.50'));
    expect(other.receipt).toMatchObject({
      warnings: { total_row_differs: 1 },
      totals: { spend: { declared_agrees: false } },
    });
  });
});

describe('refused rows that a change of reading would save', () => {
  it('of repeated keys can be added up, and a name column that is empty throughout can be left out, by the offered fix', async () => {
    const repeated = [
      'Day,Campaign,Campaign ID,Currency code,Cost,Impr.',
      '2026-11-01,Twice,41,EUR,1,10',
      '2026-11-01,Twice,41,EUR,2,20',
    ];
    const unnamed = ['Day,Campaign,Campaign ID,Ad name,Currency code,Cost,Impr.', '2026-11-02,Named,42,,EUR,4,10'];
    for (const [lines, campaign, spend] of [
      [repeated, '41', '3'],
      [unnamed, '42', '4'],
    ] as const) {
      const failed = await ingest(lines.join('\n'));
      expect(failed).toMatchObject({ status: 'failed' });
      const [cluster] = (await api.call('rejects.clusters', asRun(failed.id))).json().data;
      expect(cluster.fix).toMatchObject({ kind: 'reread' });
      const again = await api.call('uploads.reread', { ...asUpload(failed.id), body: cluster.fix.params });
      expect(await ended(again.json().upload_id)).toMatchObject({ status: 'completed' });
      expect(await numbers({ campaign })).toMatchObject([{ measures: { spend } }]);
    }
  });
});

describe('a client', () => {
  it('that an upload names must exist in the tenant', async () => {
    const unknown = await upload(byCampaign('2026-12-01', '1'), {
      platform: 'google',
      client_id: '01890000-0000-7000-8000-00000000dead',
    });
    expect([unknown.statusCode, unknown.json().code]).toEqual([404, 'client_not_found']);
  });
});

describe('names without ids', () => {
  const named = (day: string, spend: string, name = 'Linked') =>
    `Day,Campaign,Ad group,Currency code,Cost,Impr.\n${day},${name},Group,EUR,${spend},100\n`;
  const withIds = (day: string, spend: string, id = '51', name = 'Linked') =>
    `Day,Campaign,Campaign ID,Ad group,Ad group ID,Currency code,Cost,Impr.\n${day},${name},${id},Group,${id}1,EUR,${spend},100\n`;
  const stored = async (campaign: string) =>
    (
      await db.admin.query(
        `select metric_date, ad_set_external_id as ad_set, spend from daily_metrics where workspace_id = $1 and campaign_external_id = $2 order by 1`,
        [adsApi.admin.tenantId, campaign],
      )
    ).rows;

  it('that come first are the campaign whose id comes later, and the other way round: never double, and the receipts still hold', async () => {
    const first = await ingest(named('2027-01-01', '10'));
    await ingest(withIds('2027-01-01', '11'));
    expect(await stored('51')).toEqual([{ metric_date: '2027-01-01', ad_set: '511', spend: '11' }]);
    const third = await ingest(named('2027-01-02', '12'));
    expect(third).toMatchObject({ status: 'completed', receipt: { outcomes: { inserted: 1 } } });
    expect(await stored('51')).toHaveLength(2);
    expect(await totals({ by: 'campaign', since: '2027-01-01', until: '2027-01-02' })).toMatchObject([
      { key: '51', name: 'Linked', measures: { spend: '23' } },
    ]);
    const { rows } = await db.admin.query(
      `select external_id from campaigns where workspace_id = $1 and name = 'Linked'`,
      [adsApi.admin.tenantId],
    );
    expect(rows).toEqual([{ external_id: '51' }]);
    for (const run of [first, third])
      expect((await api.call('runs.verify', asRun(run.id))).json()).toMatchObject({ differences: [], matches: true });
  });

  it('that several campaigns have stop the upload, unless somebody keeps them apart', async () => {
    await ingest(withIds('2027-02-01', '1', '61', 'Twin'));
    await ingest(withIds('2027-02-01', '2', '62', 'Twin'));
    const failed = await ingest(named('2027-02-02', '3', 'Twin'));
    expect(failed).toMatchObject({ status: 'failed', error_code: 'name_ambiguous' });
    expect(failed.error_text).toContain('"Twin" (61, 62)');
    const again = await api.call('uploads.reread', { ...asUpload(failed.id), body: { names_apart: true } });
    expect(await ended(again.json().upload_id)).toMatchObject({ status: 'completed' });
  });
});

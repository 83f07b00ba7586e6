// Measures of which a file says nothing are unknown: neither a row nor a receipt says zero, and numbers that lose one by it are told.
import { describe, expect, it } from 'vitest';
import { useAdsApi } from '../../../../test/support/use-ads-api.ts';

const adsApi = useAdsApi();
const { db, api, upload, ended, asRun } = adsApi;

const ingest = async (text: string, fields: Record<string, string> = {}) =>
  ended((await upload(text, { platform: 'google', ...fields })).json().upload_id);
const file = (names: string, ...rows: string[]) =>
  `Day,Campaign,Campaign ID,Currency code,${names}\n${rows.join('\n')}\n`;
const stored = async (campaign: string) =>
  (
    await db.admin.query(
      'select spend, impressions, clicks, reach from daily_metrics where campaign_external_id = $1 order by metric_date',
      [campaign],
    )
  ).rows;

describe('a measure without a column', () => {
  it('is stored as unknown, and its receipt has no sum of it', async () => {
    const run = await ingest(file('Cost,Impr.', '2026-01-01,A,71,EUR,5,100', '2026-01-02,A,71,EUR,6,110'));
    expect(run).toMatchObject({ status: 'completed', receipt: { not_told: ['clicks'] } });
    expect(Object.keys(run.receipt?.totals ?? {}).sort()).toEqual(['impressions', 'spend']);
    expect(await stored('71')).toEqual([
      { spend: '5', impressions: 100, clicks: null, reach: null },
      { spend: '6', impressions: 110, clicks: null, reach: null },
    ]);
    const total = (
      await api.call('ads.totals', { as: adsApi.admin, query: { by: 'campaign', campaign: '71' } })
    ).json();
    expect(total.data).toMatchObject([{ measures: { spend: '11', clicks: null } }]);
    expect((await api.call('runs.verify', asRun(run.id))).json()).toMatchObject({ matches: true });
  });

  it('is unknown also where its column holds no value, and known where one row does', async () => {
    const empty = await ingest(
      file('Cost,Impr.,Clicks', '2026-01-01,B,72,EUR,5,100, --', '2026-01-02,B,72,EUR,6,110,'),
    );
    expect(empty.receipt).toMatchObject({ not_told: ['clicks'] });
    const zero = await ingest(
      file('Cost,Impr.,Clicks', '2026-01-01,C,73,EUR,5,100,0', '2026-01-02,C,73,EUR,6,110, --'),
    );
    expect(zero.receipt).not.toHaveProperty('not_told');
    expect(zero.receipt?.totals).toMatchObject({ clicks: { file: '0' } });
    expect((await stored('73')).map(({ clicks }) => clicks)).toEqual([0, null]);
  });
});

describe('a later file that does not tell a measure', () => {
  const whole = file('Cost,Impr.,Clicks', '2026-02-01,D,74,EUR,5,100,7', '2026-02-02,D,74,EUR,6,110,8');

  it('says on its receipt how many numbers are unknown now, and an undo brings them back', async () => {
    await ingest(whole, { reported_at: '2026-02-03T00:00:00Z' });
    const later = await ingest(file('Cost,Impr.', '2026-02-01,D,74,EUR,5.5,101', '2026-02-03,D,74,EUR,1,2'), {
      reported_at: '2026-02-04T00:00:00Z',
    });
    expect(later.receipt).toMatchObject({
      outcomes: { updated: 1, inserted: 1 },
      doubts: { measure_missing: 1 },
      in_doubt: [{ code: 'measure_missing', rows_at_stake: 1, message: expect.stringContaining('1 numbers') }],
    });
    expect((await stored('74')).map(({ clicks }) => clicks)).toEqual([null, 8, null]);
    const undone = await api.call('runs.undo', { ...asRun(later.id), body: {} });
    await ended(undone.json().run_id);
    expect((await stored('74')).map(({ clicks }) => clicks)).toEqual([7, 8]);
  });

  it('is not told where nothing was known, or nothing is taken away', async () => {
    await ingest(file('Cost,Impr.', '2026-03-01,E,75,EUR,5,100'), { reported_at: '2026-03-03T00:00:00Z' });
    const fuller = await ingest(file('Cost,Impr.,Clicks', '2026-03-01,E,75,EUR,6,100,3'), {
      reported_at: '2026-03-04T00:00:00Z',
    });
    expect(fuller.receipt).not.toHaveProperty('doubts');
  });
});

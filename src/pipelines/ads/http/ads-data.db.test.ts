// Reading the ads pipeline's numbers back over HTTP, and where each came from.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdsBench, openAdsBench } from '../../../../test/support/ads.ts';
import { buildTenant, buildUser, type TestUser, useApi } from '../../../../test/support/api.ts';
import { useDatabase } from '../../../../test/support/database.ts';
import { adsDataHandlers } from './ads-handlers.ts';

const db = useDatabase();
const api = useApi(db, () => ({ handlers: adsDataHandlers }));
let bench: AdsBench;
let admin: TestUser;
let stranger: TestUser;
let secondRun = '';

const header =
  'Campaign name,Campaign ID,Ad set name,Ad set ID,Ad name,Ad ID,Day,Amount spent (USD),Impressions,Clicks (all)';
const row = (ad: string, day: string, spend: string) => `Spring,1201,Lookalike,2201,${ad},${ad},${day},${spend},100,7`;

beforeAll(async () => {
  bench = await openAdsBench(db.appUrl);
  await bench.engine.start();
  const tenantId = await buildTenant(db);
  admin = await buildUser(db, tenantId, 'admin');
  stranger = await buildUser(db, await buildTenant(db), 'admin');
  const first = [
    header,
    row('3201', '2026-01-05', '10.50'),
    row('3202', '2026-01-05', '4.25'),
    row('3201', '2026-01-06', '1'),
  ];
  await bench.ingest(tenantId, first.join('\n'), { filename: 'first.csv', reported_at: '2026-01-07T00:00:00Z' });
  const byCampaign =
    'Campaign name,Campaign ID,Day,Amount spent (USD),Impressions,Clicks (all)\nSpring,1201,2026-01-05,14.75,200,14';
  await bench.ingest(tenantId, byCampaign, { filename: 'level.csv', reported_at: '2026-01-07T00:00:00Z' });
  const restated = [header, row('3201', '2026-01-05', '11.00')].join('\n');
  const run = await bench.ingest(tenantId, restated, { filename: 'restated.csv', reported_at: '2026-01-09T00:00:00Z' });
  secondRun = run.id;
});

afterAll(() => bench.close());

const get = async (operation: Parameters<typeof api.call>[0], query: Record<string, string>, as = admin) =>
  (await api.call(operation, { as, query })).json();

describe('ads data over HTTP', () => {
  it('lists campaigns, ad sets and ads with their parents, and finds them by part of a name', async () => {
    expect((await get('ads.campaigns', { q: 'sprin' })).data).toMatchObject([
      { external_id: '1201', name: 'Spring', inferred: false },
    ]);
    expect((await get('ads.ad-sets', { campaign: '1201' })).data).toMatchObject([
      { external_id: '2201', campaign_external_id: '1201' },
    ]);
    const ads = await get('ads.ads', { limit: '1' });
    expect(ads.data).toHaveLength(1);
    const rest = await get('ads.ads', { limit: '5', after: ads.next });
    expect([...ads.data, ...rest.data].map((ad: { external_id: string }) => ad.external_id)).toEqual(['3201', '3202']);
  });

  it('pages daily numbers newest day first without repeating or skipping one', async () => {
    const seen: string[] = [];
    let after: string | null = null;
    do {
      const page: { data: { metric_date: string; id: string }[]; next: string | null } = await get(
        'ads.daily-metrics',
        {
          limit: '2',
          ...(after === null ? {} : { after }),
        },
      );
      seen.push(...page.data.map(({ id }) => id));
      after = page.next;
    } while (after !== null);
    expect(seen).toHaveLength(3);
    expect(new Set(seen).size).toBe(3);
    expect(seen[0]).toMatch(/^2026-01-06\./);
  });

  it('counts only the fullest grain of a campaign day, so that no money is added twice', async () => {
    const totals = await get('ads.totals', { by: 'day', until: '2026-01-05' });
    expect(totals.data).toMatchObject([
      { key: '2026-01-05', currency: 'USD', rows: 2, measures: { spend: '15.25', clicks: '14' } },
    ]);
  });

  it('gives a number its provenance: file, line, column, person, and the value it had before', async () => {
    const { data } = await get('ads.daily-metrics', { ad: '3201', until: '2026-01-05' });
    const provenance = await get('ads.provenance', { metric_id: data[0].id, measure: 'spend' });
    const older = await get('ads.passport', { metric_id: data[0].id, measure: 'spend' });
    expect(older).toEqual(provenance);
    expect(provenance).toMatchObject({
      value: '11',
      origin: { run_id: secondRun, filename: 'restated.csv', line: 2, column: 'Amount spent (USD)' },
      history: [{ value: '10.5', reported_at: '2026-01-07T00:00:00.000Z' }],
    });
  });

  it('shows another tenant nothing, and its metric like a missing one', async () => {
    const { data } = await get('ads.daily-metrics', {});
    for (const operation of ['ads.campaigns', 'ads.ad-sets', 'ads.ads', 'ads.daily-metrics', 'ads.totals'] as const)
      expect((await get(operation, {}, stranger)).data).toEqual([]);
    const foreign = await get('ads.provenance', { metric_id: data[0].id }, stranger);
    expect(foreign).toMatchObject({ code: 'metric_not_found', status: 404 });
  });
});

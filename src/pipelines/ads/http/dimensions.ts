// GET /v1/ads/campaigns, /ad-sets, /ads

import { type Call, handle } from '../../../http/call.ts';
import { pageOf, readCursor, shapes, writeCursor } from '../../../http/cursor.ts';
import { look } from '../../../http/routes/change.ts';
import { wirePage } from '../../../http/wire.ts';
import { type Dimension, type DimensionRow, listDimensions } from '../sql/list-dimensions.ts';

type DimensionCall = Call<'ads.campaigns'> | Call<'ads.ad-sets'> | Call<'ads.ads'>;

const anything = /^[\s\S]{1,400}$/;

async function page(call: DimensionCall, level: Dimension) {
  const { limit, after, client_id, platform, campaign, ad_set, run_id, q } = call.query;
  const cursor = readCursor(after, anything, anything, shapes.uuid);
  const filter = {
    clientId: client_id ?? null,
    platform: platform ?? null,
    campaign: campaign ?? null,
    adSet: ad_set ?? null,
    runId: run_id ?? null,
    search: q ?? null,
    after: cursor,
  };
  const rows = await look(call, (db, tenantId) => listDimensions(db, level, tenantId, filter, limit + 1));
  return pageOf(rows, limit, (row: DimensionRow) => writeCursor(row.platform, row.external_id, row.id));
}

export const listCampaigns = handle('ads.campaigns', async (call) => wirePage(await page(call, 'campaigns')));
export const listAdSets = handle('ads.ad-sets', async (call) => wirePage(await page(call, 'ad_sets')));
export const listAds = handle('ads.ads', async (call) => wirePage(await page(call, 'ads')));

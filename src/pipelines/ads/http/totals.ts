// GET /v1/ads/totals: sums by day, campaign, ad set or ad, one row per currency.

import { handle } from '../../../http/call.ts';
import { look } from '../../../http/routes/change.ts';
import { isPart } from '../grain.ts';
import { sumMetrics } from '../sql/read-metrics.ts';
import { measuresOf, metricFilter } from './metric-view.ts';

export const listTotals = handle('ads.totals', async (call) => {
  const rows = await look(call, (db, tenantId) => sumMetrics(db, tenantId, call.query.by, metricFilter(call.query)));
  return {
    data: rows.map((row) => ({
      key: row.key,
      name: row.name,
      currency: row.currency,
      measures: measuresOf(row),
      rows: row.rows,
      grains: row.grains,
      is_part: row.grains.some(isPart),
    })),
  };
});

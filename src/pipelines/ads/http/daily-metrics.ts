// GET /v1/ads/daily-metrics: newest day first.

import { handle } from '../../../http/call.ts';
import { pageOf, readCursor, shapes, writeCursor } from '../../../http/cursor.ts';
import { look } from '../../../http/routes/change.ts';
import { listMetrics } from '../sql/read-metrics.ts';
import { metricFilter, viewMetric } from './metric-view.ts';

export const listDailyMetrics = handle('ads.daily-metrics', async (call) => {
  const { limit, after } = call.query;
  const cursor = readCursor(after, shapes.day, shapes.integer);
  const rows = await look(call, (db, tenantId) =>
    listMetrics(db, tenantId, metricFilter(call.query), cursor, limit + 1),
  );
  const { data, next } = pageOf(rows, limit, (row) => writeCursor(row.metric_date, row.id));
  return { data: data.map(viewMetric), next };
});

// The figures that the items specification names: the section `items` of GET /api/metrics, and the gauges of GET /metrics that all processes share.
import { gauge } from '../../http/gauge.ts';
import type { FiguresQuestion } from '../../http/pipeline-parts.ts';
import type { Queryable } from '../../platform/database.ts';
import { processFigures } from './metrics.ts';
import { readAllOpenItems, readDay, readOpenItems } from './sql/read-figures.ts';

const queueDepth = gauge('queue_depth', 'Items that are PENDING, of all tenants.', []);
const pendingCount = gauge('pending_count', 'Items that are PENDING or PROCESSING, of all tenants.', []);
const jobsOpen = gauge('item_jobs_open', 'Jobs with such items, of all tenants.', []);

export async function itemSection({ tenantId, db }: FiguresQuestion) {
  const [open, day] = [await readOpenItems(db, tenantId), await readDay(db, tenantId)];
  return { items: { ...open, ...day, ...processFigures(tenantId) } };
}

export async function refreshItemGauges(control: Queryable): Promise<void> {
  const open = await readAllOpenItems(control);
  queueDepth.set(open.queue_depth);
  pendingCount.set(open.pending_count);
  jobsOpen.set(open.jobs_open);
}

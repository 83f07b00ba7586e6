// The figures that the items specification names: the section `items` of GET /api/metrics, and the gauges of GET /metrics that all processes share.

import type pg from 'pg';
import { gauge } from '../../http/gauge.ts';
import type { FiguresQuestion } from '../../http/pipeline-parts.ts';
import { withTenant } from '../../platform/database.ts';
import { processFigures } from './metrics.ts';
import { readAllOpenItems, readDay, readOpenItems } from './sql/read-figures.ts';

const queueDepth = gauge('queue_depth', 'Items that are PENDING, of all tenants.', []);
const pendingCount = gauge('pending_count', 'Items that are PENDING or PROCESSING, of all tenants.', []);
const jobsOpen = gauge('item_jobs_open', 'Jobs with such items, of all tenants.', []);

export async function itemSection({ tenantId, db }: FiguresQuestion) {
  const [open, day] = [await readOpenItems(db, tenantId), await readDay(db, tenantId)];
  return { items: { ...open, ...day, ...processFigures(tenantId) } };
}

/** Reads counters of all tenants, and nothing else of theirs. */
export const FIGURES_ROLE = 'items_figures';

export async function refreshItemGauges(control: pg.Pool): Promise<void> {
  const open = await withTenant(control, { tenantId: '', role: FIGURES_ROLE }, readAllOpenItems);
  queueDepth.set(open.queue_depth);
  pendingCount.set(open.pending_count);
  jobsOpen.set(open.jobs_open);
}

// GET /v1/batches. A page may be short while `next` is set, as with runs.
import { handle } from '../../../http/call.ts';
import { engineOf } from '../../../http/engine-of.ts';
import { findRuns } from '../../../http/run-views/find-runs.ts';
import { viewBatch } from './batch-view.ts';

export const listBatches = handle('batches.list', async (call) => {
  const { after, limit, status } = call.query;
  const finder = { pool: call.app.pool, control: engineOf(call).pools.control };
  const page = await findRuns(finder, call.principal.tenantId, { pipeline: 'judgments', status }, { after, limit });
  return { data: page.rows.map(viewBatch), next: page.next };
});

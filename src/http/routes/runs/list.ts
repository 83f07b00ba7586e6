// GET /v1/runs
import { handle } from '../../call.ts';
import { engineOf } from '../../engine-of.ts';
import { findRuns } from '../../runs/find-runs.ts';
import { viewRun } from '../../runs/run-view.ts';

export const listRuns = handle('runs.list', async (call) => {
  const { principal, query, app } = call;
  const { after, limit, ...words } = query;
  const filter = principal.role === 'support' ? { ...words, phase: 'dead' } : words;
  const finder = { pool: app.pool, control: engineOf(call).pools.control };
  const page = await findRuns(finder, principal.tenantId, filter, { after, limit });
  return { data: page.rows.map(viewRun), next: page.next };
});

// GET /v1/runs
import { handle } from '../../call.ts';
import { engineOf } from '../../engine-of.ts';
import { findRuns } from '../../runs/find-runs.ts';
import { viewRun } from '../../runs/run-view.ts';
import { isForSupport } from '../../runs/show-run.ts';

export const listRuns = handle('runs.list', async (call) => {
  const { principal, query, app } = call;
  const { after, limit, ...words } = query;
  const isSupport = principal.role === 'support';
  const filter = isSupport ? { ...words, phase: 'dead,failed' } : words;
  const finder = { pool: app.pool, control: engineOf(call).pools.control };
  const page = await findRuns(finder, principal.tenantId, filter, { after, limit });
  return { data: page.rows.filter((run) => !isSupport || isForSupport(run)).map(viewRun), next: page.next };
});

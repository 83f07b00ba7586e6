// GET /v1/runs
import { handle } from '../../call.ts';
import { findRuns } from '../../runs/find-runs.ts';
import { finderOf } from '../../runs/hidden-runs.ts';
import { viewRun } from '../../runs/run-view.ts';
import { isForSupport } from '../../runs/show-run.ts';

export const listRuns = handle('runs.list', async (call) => {
  const { principal, query } = call;
  const { after, limit, ...words } = query;
  const isSupport = principal.role === 'support';
  const filter = isSupport ? { ...words, phase: 'dead,failed' } : words;
  const page = await findRuns(finderOf(call), principal.tenantId, filter, { after, limit });
  return { data: page.rows.filter((run) => !isSupport || isForSupport(run)).map(viewRun), next: page.next };
});

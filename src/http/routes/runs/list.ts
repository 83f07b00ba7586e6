// GET /v1/runs
import { handle } from '../../call.ts';
import { findRuns } from '../../run-views/find-runs.ts';
import { finderOf } from '../../run-views/hidden-runs.ts';
import { viewRuns } from '../../run-views/list-view.ts';
import { isForSupport } from '../../run-views/show-run.ts';

export const listRuns = handle('runs.list', async (call) => {
  const { principal, query } = call;
  const { after, limit, ...words } = query;
  const isSupport = principal.role === 'support';
  const filter = isSupport ? { ...words, phase: 'dead,failed' } : words;
  const page = await findRuns(finderOf(call), principal.tenantId, filter, { after, limit });
  const shown = page.rows.filter((run) => !isSupport || isForSupport(run));
  return { data: await viewRuns(call, shown), next: page.next };
});

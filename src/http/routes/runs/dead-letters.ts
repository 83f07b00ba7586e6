// GET /v1/dead-letters: runs that ended as dead letters and were not requeued.
import { handle } from '../../call.ts';
import { engineOf } from '../../engine-of.ts';
import { findRuns } from '../../runs/find-runs.ts';
import { viewRun } from '../../runs/run-view.ts';

export const listDeadLetters = handle('dead-letters.list', async (call) => {
  const { principal, query, app } = call;
  const { after, limit, pipeline } = query;
  const finder = { pool: app.pool, control: engineOf(call).pools.control };
  const page = await findRuns(finder, principal.tenantId, { pipeline, phase: 'dead' }, { after, limit });
  return { data: page.rows.filter((row) => row.requeued_as === null).map(viewRun), next: page.next };
});

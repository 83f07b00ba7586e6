// GET /v1/runs/:run_id/rejects/clusters

import { clusterRejects } from '../../../engine/reads/cluster-rejects.ts';
import { handle } from '../../call.ts';
import { viewSuggestion } from '../../reject-tools/read-fix.ts';
import { requireVisibleRun } from '../../run-views/show-run.ts';
import { look } from '../change.ts';

const MAX_CLUSTERS = 1_000;

export const listClusters = handle('rejects.clusters', async (call) => {
  const { run_id: runId } = call.params;
  const rows = await look(call, async (db, tenantId) => {
    await requireVisibleRun(db, call.principal, runId);
    return clusterRejects(db, tenantId, runId, MAX_CLUSTERS);
  });
  const data = rows.map(({ cause, column_name: column, suggestion, ...rest }) => ({
    ...rest,
    cluster: cause,
    column,
    fix: viewSuggestion(suggestion, column),
  }));
  return { data };
});

// POST /v1/ingestion-runs/:run_id/retry
import { handle } from '../../call.ts';
import { partsOf } from '../../pipeline-parts.ts';
import { viewIngestionRun } from '../../runs/ingestion-view.ts';
import { retryRun } from '../../runs/retry-run.ts';
import { requireVisibleRun } from '../../runs/show-run.ts';
import { look } from '../change.ts';

export const retryIngestionRun = handle('ingestion-runs.retry', async (call) => {
  const runId = await retryRun(call, call.params.run_id);
  const run = await look(call, (db) => requireVisibleRun(db, call.principal, runId));
  return viewIngestionRun(run, partsOf(call.app, run.pipeline).channel);
});

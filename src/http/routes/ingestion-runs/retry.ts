// POST /v1/ingestion-runs/:run_id/retry
import { handle } from '../../call.ts';
import { viewIngestionRun } from '../../runs/ingestion-view.ts';
import { retryRun } from '../../runs/retry-run.ts';
import { requireVisibleRun } from '../../runs/show-run.ts';
import { look } from '../change.ts';

export const retryIngestionRun = handle('ingestion-runs.retry', async (call) => {
  const runId = await retryRun(call, call.params.run_id);
  return viewIngestionRun(await look(call, (db) => requireVisibleRun(db, call.principal, runId)));
});

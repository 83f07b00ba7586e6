// GET /v1/ingestion-runs/:run_id
import { handle } from '../../call.ts';
import { partsOf } from '../../pipeline-parts.ts';
import { viewIngestionRun } from '../../runs/ingestion-view.ts';
import { requireVisibleRun } from '../../runs/show-run.ts';
import { look } from '../change.ts';

export const showIngestionRun = handle('ingestion-runs.show', async (call) => {
  const run = await look(call, (db) => requireVisibleRun(db, call.principal, call.params.run_id));
  return viewIngestionRun(run, partsOf(call.app, run.pipeline).channel);
});

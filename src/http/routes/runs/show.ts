// GET /v1/runs/:run_id
import { handle } from '../../call.ts';
import { engineOf } from '../../engine-of.ts';
import { showRun as describeRun } from '../../run-views/show-run.ts';

export const showRun = handle('runs.show', (call) => {
  const { pool, pipelines = {} } = call.app;
  return describeRun({ pool, pipelines, engine: engineOf(call) }, call.principal, call.params.run_id);
});

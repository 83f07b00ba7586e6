// POST /v1/runs/:run_id/cancel
import { handle } from '../../call.ts';
import { actorOf, engineOf } from '../../engine-of.ts';
import { linkRun } from '../../run-actions/link-run.ts';

export const cancelRun = handle('runs.cancel', async (call) => {
  const outcome = await engineOf(call).cancel(actorOf(call.principal), call.params.run_id);
  call.trail.acted({ target: call.params.run_id, data: { outcome } });
  return linkRun(call, call.params.run_id);
});

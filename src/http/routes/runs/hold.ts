// POST /v1/runs/:run_id/hold
import { handle } from '../../call.ts';
import { actorOf, engineOf } from '../../engine-of.ts';
import { linkRun } from '../../run-actions/link-run.ts';

export const holdRun = handle('runs.hold', async (call) => {
  await engineOf(call).hold(actorOf(call.principal), call.params.run_id);
  call.trail.acted({ target: call.params.run_id });
  return linkRun(call, call.params.run_id);
});

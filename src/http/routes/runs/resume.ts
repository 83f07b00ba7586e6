// POST /v1/runs/:run_id/resume: a held run goes on; one planned for later is due now.
import { handle } from '../../call.ts';
import { actorOf, engineOf } from '../../engine-of.ts';
import { linkRun } from '../../run-actions/link-run.ts';

export const resumeRun = handle('runs.resume', async (call) => {
  await engineOf(call).resume(actorOf(call.principal), call.params.run_id);
  call.trail.acted({ target: call.params.run_id });
  return linkRun(call, call.params.run_id);
});

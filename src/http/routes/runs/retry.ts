// POST /v1/runs/:run_id/retry
import { handle } from '../../call.ts';
import { linkRun } from '../../run-actions/link-run.ts';
import { retryRun as retry } from '../../run-actions/retry-run.ts';

export const retryRun = handle('runs.retry', async (call) => {
  const { force_partial: forcePartial } = call.body ?? {};
  const input = forcePartial === undefined ? undefined : { force_partial: forcePartial };
  return linkRun(call, await retry(call, call.params.run_id, input));
});

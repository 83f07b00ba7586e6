// POST /v1/runs/:run_id/verify
import type { AnswerOf } from '../../../contract/api/client.ts';
import { handle } from '../../call.ts';
import { engineOf } from '../../engine-of.ts';

type Receipt = AnswerOf<'runs.verify'>['receipt'];

export const verifyRun = handle('runs.verify', async (call) => {
  const { principal, params } = call;
  call.trail.changedNothing();
  const found = await engineOf(call).verify(principal.tenantId, params.run_id);
  return {
    run_id: found.runId,
    matches: found.agrees,
    receipt: found.receipt as Receipt,
    recount: found.recount as Receipt,
    differences: [...found.differences],
    verified_at: new Date().toISOString(),
  };
});

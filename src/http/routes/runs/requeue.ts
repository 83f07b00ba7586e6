// POST /v1/runs/:run_id/requeue: support or an admin gives a dead letter a successor, for a ticket.
import { handle } from '../../call.ts';
import { engineOf } from '../../engine-of.ts';
import { linkRun } from '../../run-actions/link-run.ts';
import { requeueAsItsPipeline } from '../../run-actions/requeue-dead-letter.ts';

export const requeueRun = handle('runs.requeue', async (call) => {
  const { principal, params, body } = call;
  const run = await engineOf(call).run(principal.tenantId, params.run_id);
  const successor = await requeueAsItsPipeline(call, run, body.ticket);
  call.trail.acted({ target: run.id, data: { ticket: body.ticket, successor } });
  return linkRun(call, successor);
});

// POST /v1/dead-letters/:run_id/requeue: support or an admin gives a dead letter a successor, for a ticket.
import { auditApart } from '../../../access/audit.ts';
import { handle } from '../../call.ts';
import { engineOf } from '../../engine-of.ts';
import { requeueAsItsPipeline } from '../../runs/requeue-dead-letter.ts';
import { linkRun } from './link-run.ts';

export const requeueDeadLetter = handle('dead-letters.requeue', async (call) => {
  const { principal, params, body, origin, app } = call;
  const run = await engineOf(call).run(principal.tenantId, params.run_id);
  const successor = await requeueAsItsPipeline(call, run, body.ticket);
  const data = { ticket: body.ticket, successor };
  await auditApart(app.pool, principal, origin, { action: 'dead-letters.requeue', target: run.id, data });
  return linkRun(call, successor);
});

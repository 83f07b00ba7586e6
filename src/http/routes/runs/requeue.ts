// POST /v1/runs/:run_id/requeue: support gives a dead letter a successor, for a ticket.
import { auditApart } from '../../../access/audit.ts';
import { handle } from '../../call.ts';
import { actorOf, engineOf } from '../../engine-of.ts';
import { linkRun } from './link-run.ts';

export const requeueRun = handle('runs.requeue', async (call) => {
  const { principal, params, body, origin, app } = call;
  const successor = await engineOf(call).requeue(actorOf(principal), params.run_id, body.ticket);
  const data = { ticket: body.ticket, successor };
  await auditApart(app.pool, principal, origin, { action: 'runs.requeue', target: params.run_id, data });
  return linkRun(call, successor);
});

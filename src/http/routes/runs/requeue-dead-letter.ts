// POST /v1/dead-letters/:run_id/requeue: support gives a dead letter a successor, for a ticket.
import { auditApart } from '../../../access/audit.ts';
import { handle } from '../../call.ts';
import { actorOf, engineOf } from '../../engine-of.ts';
import { partsOf } from '../../pipeline-parts.ts';
import { linkRun } from './link-run.ts';

export const requeueDeadLetter = handle('dead-letters.requeue', async (call) => {
  const { principal, params, body, origin, app } = call;
  const engine = engineOf(call);
  const actor = actorOf(principal);
  const run = await engine.run(principal.tenantId, params.run_id);
  const { actions } = partsOf(app, run.pipeline);
  const successor = actions?.requeue
    ? await actions.requeue(actor.tenantId, { runId: run.id, ticket: body.ticket, by: actor.by })
    : await engine.requeue(actor, run.id, body.ticket);
  const data = { ticket: body.ticket, successor };
  await auditApart(app.pool, principal, origin, { action: 'dead-letters.requeue', target: run.id, data });
  return linkRun(call, successor);
});

// POST /v1/dead-letters/:run_id/requeue: support gives a dead letter a successor, for a ticket.
import { auditApart } from '../../../access/audit.ts';
import { JobDispatcher } from '../../../pipelines/syncs/dispatcher.ts';
import { handle } from '../../call.ts';
import { actorOf, engineOf } from '../../engine-of.ts';
import { linkRun } from './link-run.ts';

export const requeueDeadLetter = handle('dead-letters.requeue', async (call) => {
  const { principal, params, body, origin, app } = call;
  const engine = engineOf(call);
  const actor = actorOf(principal);
  const run = await engine.run(principal.tenantId, params.run_id);
  const successor =
    run.pipeline === 'syncs'
      ? (
          await new JobDispatcher({ engine }, principal.tenantId).requeueFromDlq({
            jobId: run.id,
            correlationId: body.ticket,
            by: actor.by,
          })
        ).job_id
      : await engine.requeue(actor, run.id, body.ticket);
  const data = { ticket: body.ticket, successor };
  await auditApart(app.pool, principal, origin, { action: 'dead-letters.requeue', target: run.id, data });
  return linkRun(call, successor);
});

// POST /v1/runs/:run_id/retry: a new run linked by retry_of. Dead letters are not retried but requeued, by support.
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { JobDispatcher } from '../../../pipelines/syncs/dispatcher.ts';
import { handle } from '../../call.ts';
import { actorOf, engineOf } from '../../engine-of.ts';
import { requireVisibleRun } from '../../runs/show-run.ts';
import { look } from '../change.ts';
import { linkRun } from './link-run.ts';

export const retryRun = handle('runs.retry', async (call) => {
  const { principal, params, body, origin } = call;
  const run = await look(call, (db) => requireVisibleRun(db, principal, params.run_id));
  if (run.phase === 'dead')
    throw new MillraceError('forbidden', { role: principal.role, allowed: 'support (requeue)' });
  const engine = engineOf(call);
  if (run.pipeline === 'syncs') await new JobDispatcher({ engine }, principal.tenantId).requireRetryable(run.id);
  const successor = await engine.retry(actorOf(principal), params.run_id, {
    ...(body?.force_partial === undefined ? {} : { input: { force_partial: body.force_partial } }),
    ...(origin.correlationId === null ? {} : { correlationId: origin.correlationId }),
  });
  return linkRun(call, successor.id);
});

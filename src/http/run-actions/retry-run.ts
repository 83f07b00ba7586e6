// Retrying a run on behalf of a caller: a new run linked by retry_of. Dead letters are not retried but requeued, by support.
import { authorize } from '../../access/principal.ts';
import { routes } from '../../contract/api/routes.ts';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { Call } from '../call.ts';
import { actorOf, engineOf } from '../engine-of.ts';
import { partsOf } from '../pipeline-parts.ts';
import { look } from '../routes/change.ts';
import { requireVisibleRun } from '../run-views/show-run.ts';

/** The id of the run that does the work now. `input` is laid over that of the first one. */
export async function retryRun(
  call: Pick<Call<'runs.retry' | 'ingestion-runs.retry'>, 'app' | 'operation' | 'principal' | 'origin' | 'trail'>,
  runId: string,
  input?: Readonly<Record<string, unknown>>,
): Promise<string> {
  const { principal, origin } = call;
  const run = await look(call, (db) => requireVisibleRun(db, principal, runId));
  if (run.phase === 'dead')
    throw new MillraceError('forbidden', { role: principal.role, allowed: 'support (requeue)' });
  const engine = engineOf(call);
  const { retryNeeds, beforeRetry } = partsOf(call.app, run.pipeline).actions ?? {};
  if (retryNeeds !== undefined) authorize(principal, routes[retryNeeds].access);
  await beforeRetry?.(principal.tenantId, run.id);
  const successor = await engine.retry(actorOf(principal), runId, {
    ...(input === undefined ? {} : { input }),
    ...(origin.correlationId === null ? {} : { correlationId: origin.correlationId }),
  });
  call.trail.acted({ target: runId, data: { successor: successor.id } });
  return successor.id;
}

// A dead letter gets a successor, as its pipeline wants it: a sync, for one, may not be requeued beside a live one of its connector.
import type { OperationId } from '../../contract/api/operations.ts';
import type { Call } from '../call.ts';
import { actorOf, engineOf } from '../engine-of.ts';
import { partsOf } from '../pipeline-parts.ts';

/** Gives the successor's id. */
export async function requeueAsItsPipeline(
  call: Pick<Call<OperationId>, 'app' | 'operation' | 'principal'>,
  run: { readonly id: string; readonly pipeline: string },
  ticket: string,
): Promise<string> {
  const actor = actorOf(call.principal);
  const { actions } = partsOf(call.app, run.pipeline);
  return actions?.requeue
    ? actions.requeue(actor.tenantId, { runId: run.id, ticket, by: actor.by })
    : engineOf(call).requeue(actor, run.id, ticket);
}

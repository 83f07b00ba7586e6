// The short answer of an action: which run, and how it stands now.
import type { AnswerOf } from '../../contract/api/client.ts';
import type { OperationId } from '../../contract/api/operations.ts';
import type { Call } from '../call.ts';
import { engineOf } from '../engine-of.ts';

export async function linkRun(
  call: Pick<Call<OperationId>, 'app' | 'operation' | 'principal'>,
  runId: string,
): Promise<AnswerOf<'runs.hold'>> {
  const run = await engineOf(call).run(call.principal.tenantId, runId);
  return { run_id: run.id, status: run.status, phase: run.phase };
}

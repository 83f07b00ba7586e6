// What a caller may do with a run now: what the run's phase allows, cut down to what the caller's role and scopes allow.
import { authorize, type Principal } from '../../access/principal.ts';
import type { AnswerOf } from '../../contract/api/client.ts';
import type { OperationId } from '../../contract/api/operations.ts';
import { routes } from '../../contract/api/routes.ts';
import type { RunActions } from '../pipeline-parts.ts';
import type { RunRow } from '../sql/run-columns.ts';

export type RunAction = AnswerOf<'runs.show'>['actions'][number];

export interface ActionFacts {
  readonly canVerify: boolean;
  /** Corrected rejects that wait to be replayed. */
  readonly corrected: number;
}

/** The code of a run that was stopped because too few of its rows were valid; its valid rows can still be promoted. */
const GATE_CODE = 'below_threshold';

const operationOf: Record<RunAction, OperationId> = {
  hold: 'runs.hold',
  resume: 'runs.resume',
  cancel: 'runs.cancel',
  retry: 'runs.retry',
  requeue: 'runs.requeue',
  verify: 'runs.verify',
  replay: 'rejects.replay',
  promote_valid: 'runs.retry',
};

export function legalActions(run: RunRow, principal: Principal, facts: ActionFacts, actions?: RunActions): RunAction[] {
  return possible(run, facts).filter(
    (action) => mayCall(principal, operationOf[action]) && (action !== 'retry' || mayRetry(principal, actions)),
  );
}

/** Retrying may be more than everybody may do who may retry an upload: retrying a sync is triggering one. */
export function mayRetry(principal: Principal, { retryNeeds }: RunActions = {}): boolean {
  return retryNeeds === undefined || mayCall(principal, retryNeeds);
}

function possible(run: RunRow, facts: ActionFacts): RunAction[] {
  const replay: RunAction[] = facts.corrected > 0 ? ['replay'] : [];
  const verify: RunAction[] = facts.canVerify && run.receipt !== null ? ['verify'] : [];
  switch (run.phase) {
    case 'waiting':
      // A run that asked goes on with an answer only.
      if (isAsked(run)) return ['cancel'];
      return [run.held_at === null ? 'hold' : 'resume', 'cancel'];
    case 'active':
      return ['cancel'];
    case 'done':
      return [...replay, ...verify];
    case 'failed':
      return run.retried_as === null ? [...retries(run), ...replay, ...verify] : [...replay, ...verify];
    case 'dead':
      return run.requeued_as === null ? ['requeue'] : [];
  }
}

export function isAsked({ wait_reason: reason }: Pick<RunRow, 'wait_reason'>): boolean {
  return (reason as { kind?: string } | null)?.kind === 'question';
}

function retries(run: RunRow): RunAction[] {
  return run.error_code === GATE_CODE ? ['retry', 'promote_valid'] : ['retry'];
}

function mayCall(principal: Principal, operation: OperationId): boolean {
  try {
    authorize(principal, routes[operation].access);
    return true;
  } catch {
    return false;
  }
}

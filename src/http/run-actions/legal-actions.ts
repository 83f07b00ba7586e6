// What a caller may do with a run now: what the run's phase allows, cut down to what the caller's role and scopes allow.
import { authorize, type Principal } from '../../access/principal.ts';
import type { AnswerOf } from '../../contract/api/client.ts';
import type { OperationId } from '../../contract/api/operations.ts';
import { routes } from '../../contract/api/routes.ts';
import type { ShownRun } from '../../engine/reads/run-columns.ts';
import { isAsked } from '../../engine/why.ts';
import type { RunActions } from '../pipeline-parts.ts';

export type RunAction = AnswerOf<'runs.show'>['actions'][number];

export interface ActionFacts {
  readonly canVerify: boolean;
  /** Corrected rejects that wait to be replayed. */
  readonly corrected: number;
  /** The run that undoes this one, or has undone it. */
  readonly undo?: Pick<ShownRun, 'phase'> | undefined;
  /** It stands among the dead letters. */
  readonly isDeadLetter?: boolean;
}

/** The code of a run that was stopped because too few of its rows were valid; its valid rows can still be promoted. */
const GATE_CODE = 'below_threshold';

const operationOf: Record<RunAction, OperationId> = {
  hold: 'runs.hold',
  resume: 'runs.resume',
  cancel: 'runs.cancel',
  retry: 'runs.retry',
  requeue: 'runs.requeue',
  acknowledge: 'dead-letters.acknowledge',
  verify: 'runs.verify',
  replay: 'rejects.replay',
  promote_valid: 'runs.retry',
  undo: 'runs.undo',
};

export function legalActions(
  run: ShownRun,
  principal: Principal,
  facts: ActionFacts,
  actions?: RunActions,
): RunAction[] {
  const legal = possible(run, facts, actions).filter(
    (action) => mayCall(principal, operationOf[action]) && (action !== 'retry' || mayRetry(principal, actions)),
  );
  // A failed run that may be retried need not be requeued as well.
  return legal.includes('retry') ? legal.filter((action) => action !== 'requeue') : legal;
}

/** Retrying may be more than everybody may do who may retry an upload: retrying a sync is triggering one. */
export function mayRetry(principal: Principal, { retryNeeds }: RunActions = {}): boolean {
  return retryNeeds === undefined || mayCall(principal, retryNeeds);
}

function possible(run: ShownRun, facts: ActionFacts, actions: RunActions = {}): RunAction[] {
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
      // What is undone has nothing to count, and replayed rows would stand alone.
      if (isUndone(facts.undo)) return [];
      return [...replay, ...verify, ...(actions.undo?.mayUndo(run) ? (['undo'] as const) : [])];
    case 'failed':
      return [...retries(run, facts), ...replay, ...verify];
    case 'dead':
      if (run.requeued_as !== null) return [];
      return facts.isDeadLetter === true ? ['requeue', 'acknowledge'] : ['requeue'];
  }
}

/** One that failed has undone a part at most, and can be asked for again. */
export function isUndone(undo: Pick<ShownRun, 'phase'> | undefined): boolean {
  return undo !== undefined && undo.phase !== 'failed' && undo.phase !== 'dead';
}

function retries(run: ShownRun, { isDeadLetter }: ActionFacts): RunAction[] {
  // Superseded: what the batch was to bring has come by another run.
  const isSuperseded = run.failed_waits && isDeadLetter === false && run.acknowledged_at === null;
  if (run.retried_as !== null || isSuperseded) return [];
  return [
    'retry',
    ...(run.error_code === GATE_CODE ? (['promote_valid'] as const) : []),
    ...(isDeadLetter === true ? (['requeue', 'acknowledge'] as const) : []),
  ];
}

function mayCall(principal: Principal, operation: OperationId): boolean {
  try {
    authorize(principal, routes[operation].access);
    return true;
  } catch {
    return false;
  }
}

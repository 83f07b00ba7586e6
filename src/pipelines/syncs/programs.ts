// Functions for programs that opened Millrace with the kit of syncs: they trigger, requeue and work on syncs.
import type { Engine } from '../../engine/engine.ts';
import { type Dispatched, type DispatchRequest, JobDispatcher, type RequeueRequest } from './dispatcher.ts';

interface HasEngine {
  readonly engine: Engine;
}

/** Queues a sync of a connector; a live one of it is answered instead. */
export function dispatch(millrace: HasEngine, tenantId: string, request: DispatchRequest): Promise<Dispatched> {
  return new JobDispatcher(millrace, tenantId).dispatch(request);
}

/** For support: gives a dead letter a successor, for a ticket. */
export function requeueFromDlq(
  millrace: HasEngine,
  tenantId: string,
  request: RequeueRequest,
): Promise<Dispatched['job']> {
  return new JobDispatcher(millrace, tenantId).requeueFromDlq(request);
}

export { type Dispatched, type DispatchRequest, JobDispatcher, type RequeueRequest } from './dispatcher.ts';
export { type CycleOptions, runWorkerCycle, type WorkerCycle } from './worker-cycle.ts';

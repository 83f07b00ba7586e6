// The engine of this process, for handlers that need one. A process without it (a tool that serves only the API description)
// answers such operations as not available.

import type { Principal } from '../access/principal.ts';
import type { OperationId } from '../contract/api/operations.ts';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import type { Actor } from '../engine/actions.ts';
import type { Engine } from '../engine/engine.ts';
import type { Call } from './call.ts';

export function engineOf(call: Pick<Call<OperationId>, 'app' | 'operation'>): Engine {
  const { engine } = call.app;
  if (engine === undefined) throw new MillraceError('not_available', { operation: call.operation });
  return engine;
}

/** Who acts, as the ledger keeps it. */
export function actorOf(principal: Principal): Actor {
  return { tenantId: principal.tenantId, by: principal.actor };
}

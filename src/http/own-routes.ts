// Routes of pipelines that do not come with Millrace, under /v1/x/<pipeline>/: credential, validation, audit and problem answers are
// those of every other route. They are not part of the route table, whose list stays closed.
import type { FastifyInstance } from 'fastify';
import type { OperationId } from '../contract/api/operations.ts';
import type { AppContext } from './app-context.ts';
import type { Call } from './call.ts';
import { type OwnCall, ownPath } from './own-route.ts';
import { registerRoute } from './register-routes.ts';
import { change, look } from './routes/change.ts';

export function registerOwnRoutes(server: FastifyInstance, app: AppContext): void {
  for (const [pipeline, { routes = [] }] of Object.entries(app.pipelines ?? {})) {
    for (const { name, method, path, handle, ...spec } of routes) {
      // The name is only ever told, never looked up in the table.
      const operation = `x.${pipeline}.${name}` as OperationId;
      const place = {
        operation,
        method,
        url: ownPath(pipeline, path),
        spec: { tag: 'Pipelines' as const, ...spec },
      };
      registerRoute(server, app, place, (call) => handle(ownCall(call as Call<OperationId>)));
    }
  }
}

/** What it writes has its entry in the audit log in the same transaction; nothing written, the route notes the call. */
function ownCall(call: Call<OperationId>): OwnCall {
  const { principal, params, query, body, idempotencyKey } = call as unknown as OwnCall;
  const target = Object.values(params ?? {}).join('/') || null;
  return {
    principal,
    params,
    query,
    body,
    idempotencyKey,
    read: (work) => look(call, work),
    write: (work) => change(call, work, () => ({ target })),
  };
}

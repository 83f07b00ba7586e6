// Routes of pipelines that do not come with Millrace, under /v1/x/<pipeline>/: credential, validation, audit and problem answers are
// those of every other route. They are not part of the route table, whose list stays closed.
import type { FastifyInstance } from 'fastify';
import { inTenant } from '../access/tenant-session.ts';
import type { OperationId } from '../contract/api/operations.ts';
import type { AppContext } from './app-context.ts';
import { type OwnCall, ownPath } from './own-route.ts';
import { registerRoute } from './register-routes.ts';

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
      registerRoute(server, app, place, (call) => handle(ownCall(app, call as OwnCall)));
    }
  }
}

function ownCall(app: AppContext, { principal, params, query, body, idempotencyKey }: OwnCall): OwnCall {
  const { tenantId } = principal;
  return {
    principal,
    params,
    query,
    body,
    idempotencyKey,
    read: (work) => inTenant(app.pool, tenantId, (db) => work(db, tenantId), { readOnly: true }),
    write: (work) => inTenant(app.pool, tenantId, (db) => work(db, tenantId)),
  };
}

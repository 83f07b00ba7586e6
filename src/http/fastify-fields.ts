// What our plugins add to Fastify's requests and routes, declared once.
import type { Principal } from '../access/principal.ts';
import type { OperationId } from '../contract/api/operations.ts';
import type { RouteSpec } from '../contract/api/route.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** null on public routes. */
    principal: Principal | null;
    /** Set while an Idempotency-Key of this request is reserved. */
    idempotency: { readonly key: string; finish(status: number, body: string): Promise<void> } | null;
  }
  interface FastifyContextConfig {
    /** Of the route table; a pipeline's own route has a name of its own (http/own-routes.ts). */
    operation?: OperationId;
    spec?: RouteSpec;
  }
}

// What our plugins add to Fastify's requests and routes, declared once.
import type { Principal } from '../access/principal.ts';
import type { OperationId } from '../contract/api/operations.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** null on public routes. */
    principal: Principal | null;
    /** Set while an Idempotency-Key of this request is reserved. */
    idempotency: { readonly key: string; finish(status: number, body: string): Promise<void> } | null;
  }
  interface FastifyContextConfig {
    operation?: OperationId;
  }
}

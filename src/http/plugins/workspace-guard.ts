// A request may name its workspace, but it does not choose it: `workspace_id` (or `tenant_id`) in body or query must equal the
// tenant of the credential. It is taken out of JSON bodies afterwards, so that their schemas need not know it.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { AppContext } from '../app-context.ts';
import { noteDenial } from '../audit-trail.ts';
import { originOf } from '../origin.ts';

const names = ['workspace_id', 'tenant_id'] as const;

export function guardWorkspace(server: FastifyInstance, app: AppContext): void {
  server.addHook('preValidation', async (request) => {
    const { principal } = request;
    if (principal === null) return;
    try {
      for (const name of names) {
        checkField(request.query, name, principal.tenantId);
        checkField(request.body, name, principal.tenantId);
      }
    } catch (error) {
      const operation = request.routeOptions.config.operation ?? request.routeOptions.url ?? request.method;
      await noteDenial(app, { operation, principal, origin: originOf(request) }, error);
      throw error;
    }
  });
}

/** For bodies that are read by their handler: form fields of an upload. */
export function requireOwnWorkspace(request: FastifyRequest, workspaceId: string | undefined): void {
  if (workspaceId !== undefined && workspaceId.toLowerCase() !== request.principal?.tenantId)
    throw new MillraceError('workspace_mismatch');
}

function checkField(holder: unknown, name: (typeof names)[number], tenantId: string): void {
  if (typeof holder !== 'object' || holder === null || Array.isArray(holder) || !Object.hasOwn(holder, name)) return;
  const fields = holder as Record<string, unknown>;
  if (String(fields[name]).toLowerCase() !== tenantId) throw new MillraceError('workspace_mismatch');
  delete fields[name];
}

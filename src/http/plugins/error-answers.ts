// Every refusal leaves as application/problem+json, with Retry-After where waiting helps. Faults of ours are logged with their
// cause; refusals of bad requests are not: only the caller can do something about them.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { operations } from '../../contract/api/operations.ts';
import { problemMediaType } from '../../contract/api/problem.ts';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { AppContext } from '../app-context.ts';
import { problemAnswer } from '../problem-answer.ts';

const [mcpMethod, mcpPath] = operations['mcp.message'];

export function answerErrors(server: FastifyInstance, app: AppContext): void {
  server.setErrorHandler((error, request, reply) => sendError(app, error, request, reply));
  server.setNotFoundHandler((request, reply) => {
    const path = pathOf(request);
    const { problem } = problemAnswer(missing(request.method, path), { path, correlationId: request.id });
    if (problem.status === 405) reply.header('allow', mcpMethod);
    sendProblem(reply, problem.status, problem, undefined);
  });
}

/** An assistant that opens a stream must hear 405, by its protocol: there is none, and it goes on without. */
function missing(method: string, path: string): MillraceError {
  if (path === mcpPath) return new MillraceError('method_not_allowed', { path, allowed: mcpMethod });
  return new MillraceError('route_not_found', { method, path });
}

export function sendError({ log }: AppContext, error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const { problem, retryAfterS, isFault } = problemAnswer(error, {
    path: pathOf(request),
    correlationId: request.id,
    isAdmin: request.principal?.role === 'admin',
  });
  if (isFault)
    log.error({ err: error, operation: operationOf(request), correlation_id: request.id }, 'a request failed');
  sendProblem(reply, problem.status, problem, retryAfterS);
}

function sendProblem(reply: FastifyReply, status: number, body: unknown, retryAfterS: number | undefined): void {
  if (retryAfterS !== undefined) reply.header('retry-after', String(retryAfterS));
  if (status === 401) reply.header('www-authenticate', 'Bearer realm="millrace"');
  // Serialised here: the route's response schema describes its success only.
  reply.code(status).header('cache-control', 'no-store').type(problemMediaType).send(JSON.stringify(body));
}

function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0] ?? '/';
}

function operationOf(request: FastifyRequest): string | undefined {
  // An address that cannot be read belongs to no route.
  return request.routeOptions?.config?.operation;
}

// Registers every operation of the route table, and nothing else: path, schemas and access come from the table, the work from the
// handlers. An operation nobody handles is served as "not available", so the table and the server can never disagree.
import type { WebSocket } from '@fastify/websocket';
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import type { z } from 'zod';
import { auditApart } from '../access/audit.ts';
import { type Method, type OperationId, operations } from '../contract/api/operations.ts';
import type { RouteSpec } from '../contract/api/route.ts';
import { routes } from '../contract/api/routes.ts';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import type { AppContext } from './app-context.ts';
import type { Call, Handler, Handlers } from './call.ts';
import { socketEvents } from './live/event-socket.ts';
import { originOf } from './origin.ts';
import { problemAnswer } from './problem-answer.ts';
import { look } from './routes/change.ts';
import { requireVisibleRun } from './runs/show-run.ts';

type AnyHandler = (call: unknown) => Promise<unknown>;

/** Audited by their own transaction, or no change at all. */
export const audited: ReadonlySet<OperationId> = new Set([
  'auth.login',
  'auth.logout',
  'auth.password',
  'users.create',
  'users.update',
  'users.remove',
  'users.reset',
  'clients.create',
  'clients.update',
  'clients.remove',
  'api-keys.create',
  'api-keys.revoke',
  'memberships.create',
  'memberships.revoke',
  'batches.map',
  'batches.remove',
  'plaintiffs.split',
  'plaintiff-reviews.decide',
  'documents.update',
  'documents.deactivate',
  'documents.reactivate',
  'documents.purge',
  'documents.page-retry',
  'webhooks.create',
  'webhooks.update',
  'webhooks.remove',
  'webhooks.enable',
  'webhooks.disable',
  'webhooks.recover',
  'deliveries.resend',
  'runs.requeue',
  'dead-letters.requeue',
  'runs.verify',
]);

export function registerRoutes(server: FastifyInstance, app: AppContext, handlers: Handlers): void {
  for (const [operation, [method, url]] of Object.entries(operations) as [
    OperationId,
    (typeof operations)[OperationId],
  ][]) {
    if (operation === 'system.docs') continue;
    const handler = (handlers[operation] ?? notAvailable(operation)) as unknown as AnyHandler;
    registerRoute(server, app, { operation, method, url, spec: routes[operation] }, handler);
  }
}

interface Place {
  readonly operation: OperationId;
  readonly method: Method;
  readonly url: string;
  readonly spec: RouteSpec;
}

/** One route with everything every route has: credential, validation, audit, problem answers. */
export function registerRoute(
  server: FastifyInstance,
  app: AppContext,
  { operation, method, url, spec }: Place,
  handler: AnyHandler,
): void {
  server.route({
    method,
    url,
    config: { operation, spec },
    schema: schemaOf(spec),
    ...(spec.bodyKind === 'multipart' ? { bodyLimit: app.settings.maxRowsBytes } : {}),
    ...(spec.answer.kind === 'socket' ? { wsHandler: openSocket(app) } : {}),
    // A stream never ends, so its headers alone cannot be asked for.
    exposeHeadRoute: spec.answer.kind !== 'socket' && spec.answer.kind !== 'stream',
    handler: (request, reply) => run(app, operation, spec, handler, request, reply),
  });
}

/** Hooks have run by now: the caller is known and the query is valid. */
function openSocket(app: AppContext) {
  return async (socket: WebSocket, request: FastifyRequest): Promise<void> => {
    const call = callOf(app, 'live.socket', request, undefined) as unknown as Call<'live.socket'>;
    const { run_id: runId } = call.query;
    try {
      if (runId !== undefined) await look(call, (db) => requireVisibleRun(db, call.principal, runId));
      await socketEvents(call, socket, runId);
    } catch (error) {
      const { problem } = problemAnswer(error, { path: '/v1/live', correlationId: request.id });
      socket.close(1008, problem.code);
    }
  };
}

function callOf(app: AppContext, operation: OperationId, request: FastifyRequest, reply: FastifyReply | undefined) {
  return {
    operation,
    app,
    principal: request.principal,
    origin: originOf(request),
    params: request.params,
    query: request.query,
    body: request.body,
    idempotencyKey: request.idempotency?.key,
    request,
    reply,
  };
}

async function run(
  app: AppContext,
  operation: OperationId,
  spec: RouteSpec,
  handler: AnyHandler,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const call = callOf(app, operation, request, reply);
  // The handler may choose another success: a repetition that was skipped is 200 where new work is 202.
  if (spec.answer.kind === 'json') reply.code(spec.answer.status);
  const answer = await handler(call);
  if (spec.answer.kind === 'json' || spec.answer.kind === 'empty') {
    await noteChange(app, call as unknown as Call<OperationId>);
    if (spec.answer.kind === 'empty') return reply.code(204).send();
  }
  return answer;
}

/** State changes the engine and the pipelines carried out. Their own events are the durable trace; this says who asked. */
async function noteChange(app: AppContext, call: Call<OperationId>): Promise<void> {
  const { operation, principal, origin } = call;
  const isChange = call.request.method !== 'GET' && !audited.has(operation);
  const { preview } = (call.body ?? {}) as { preview?: boolean };
  if (!isChange || principal === null || preview === true) return;
  const target = Object.values((call.params ?? {}) as Record<string, string>).join('/') || null;
  await auditApart(app.pool, principal, origin, { action: operation, target }).catch((error: unknown) =>
    app.log.error({ err: error, operation, correlation_id: origin.correlationId }, 'a change could not be audited'),
  );
}

function schemaOf(spec: RouteSpec): FastifySchema {
  return {
    ...(spec.params ? { params: spec.params } : {}),
    ...(spec.query ? { querystring: spec.query } : {}),
    ...(spec.body && spec.bodyKind !== 'multipart' ? { body: orNothing(spec.body) } : {}),
    ...(spec.answer.kind === 'json' ? { response: { [spec.answer.status]: spec.answer.schema } } : {}),
  };
}

/** Fastify hands a missing body over as null. */
function orNothing(body: z.ZodType): z.ZodType {
  return body.safeParse(undefined).success ? body.nullish() : body;
}

function notAvailable<Op extends OperationId>(operation: Op): Handler<Op> {
  return async () => {
    throw new MillraceError('not_available', { operation });
  };
}

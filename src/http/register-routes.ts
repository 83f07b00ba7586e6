// Registers every operation of the route table, and nothing else: path, schemas and access come from the table, the work from the
// handlers. An operation nobody handles is served as "not available", so the table and the server can never disagree.
import type { WebSocket } from '@fastify/websocket';
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import type { z } from 'zod';
import { type Method, type OperationId, operations } from '../contract/api/operations.ts';
import type { RouteSpec } from '../contract/api/route.ts';
import { routes } from '../contract/api/routes.ts';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import type { AppContext } from './app-context.ts';
import { AuditTrail, noteApart, noteDenial } from './audit-trail.ts';
import type { Call, Handler, Handlers } from './call.ts';
import { socketEvents } from './live/event-socket.ts';
import { originOf } from './origin.ts';
import { problemAnswer } from './problem-answer.ts';
import { look } from './routes/change.ts';
import { refuseHiddenRun } from './run-views/hidden-runs.ts';
import { requireVisibleRun } from './run-views/show-run.ts';

type AnyHandler = (call: unknown) => Promise<unknown>;

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
      if (runId !== undefined) await refuseHiddenRun(call, runId);
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
    trail: new AuditTrail(),
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
  try {
    await refuseHidden(call);
    const answer = await handler(call);
    await noteChange(app, call);
    return spec.answer.kind === 'empty' ? reply.code(204).send() : answer;
  } catch (error) {
    await noteFailure(app, call, error);
    throw error;
  }
}

type AnyCall = ReturnType<typeof callOf>;

/** Whatever is asked about a run, in every operation that names one: a run that its caller does not see is not there. */
async function refuseHidden({ app, principal, params }: AnyCall): Promise<void> {
  if (principal === null || typeof params !== 'object' || params === null) return;
  const { run_id: runId, upload_id: uploadId } = params as { readonly run_id?: string; readonly upload_id?: string };
  if (runId !== undefined) await refuseHiddenRun({ app, principal }, runId);
  if (uploadId !== undefined) await refuseHiddenRun({ app, principal }, uploadId, 'upload');
}

/** A change that said nothing about itself is noted by the ids of its path. */
async function noteChange(app: AppContext, { trail, principal, ...call }: AnyCall): Promise<void> {
  const isRead = call.request.method === 'GET' || call.request.method === 'HEAD';
  if (isRead || trail.isSettled || principal === null) return;
  const ids = Object.values((call.params ?? {}) as Record<string, string>).join('/');
  const entry = trail.unwritten ?? { target: ids || null };
  trail.committed();
  await noteApart(app, { ...call, principal }, entry);
}

/** What was changed before the failure is noted all the same; otherwise only a denial is. */
async function noteFailure(app: AppContext, { trail, principal, ...call }: AnyCall, error: unknown): Promise<void> {
  if (principal === null) return;
  const entry = trail.unwritten;
  if (entry !== undefined) await noteApart(app, { ...call, principal }, entry);
  else if (!trail.isSettled) await noteDenial(app, { ...call, principal }, error);
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

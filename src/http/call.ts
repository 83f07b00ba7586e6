// One call of one operation, as a handler sees it: validated, authenticated, typed by the route table.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Origin } from '../access/audit.ts';
import type { Principal } from '../access/principal.ts';
import type { AnswerOf } from '../contract/api/client.ts';
import type { OperationId } from '../contract/api/operations.ts';
import type { Routes } from '../contract/api/routes.ts';
import type { AppContext } from './app-context.ts';
import type { AuditTrail } from './audit-trail.ts';

type Parsed<Op extends OperationId, Key extends string> =
  Routes[Op] extends Record<Key, infer S> ? (S extends z.ZodType ? z.output<S> : undefined) : undefined;

export interface Call<Op extends OperationId> {
  readonly operation: Op;
  readonly app: AppContext;
  readonly principal: Principal;
  readonly origin: Origin;
  /** Says what the call changed, for the audit log. */
  readonly trail: AuditTrail;
  readonly params: Parsed<Op, 'params'>;
  readonly query: Parsed<Op, 'query'>;
  readonly body: Routes[Op] extends { bodyKind: 'multipart' } ? unknown : Parsed<Op, 'body'>;
  /** Make the effect unique by it where the effect outlives a crash of this process. */
  readonly idempotencyKey: string | undefined;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Returns the answer; for files, streams and sockets it answers through `reply` itself. */
export type Handler<Op extends OperationId> = (
  call: Call<Op>,
) => Promise<AnswerOf<Op> extends Response ? FastifyReply : AnswerOf<Op>>;

export type Handlers = { readonly [Op in OperationId]?: Handler<Op> };

/** Gives a handler its types; the operation's name stands where the route is written. */
export function handle<const Op extends OperationId>(
  operation: Op,
  handler: Handler<Op>,
): Pick<Required<Handlers>, Op> {
  return { [operation]: handler } as unknown as Pick<Required<Handlers>, Op>;
}

// A route that a pipeline of one's own declares, and what its handler sees of a call.
import type { z } from 'zod';
import type { Principal } from '../access/principal.ts';
import type { Method } from '../contract/api/operations.ts';
import type { RouteSpec } from '../contract/api/route.ts';
import type { Queryable } from '../platform/database.ts';

export interface OwnCall {
  readonly principal: Principal;
  readonly params: Readonly<Record<string, string>>;
  /** As the route's schemas parse them. */
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  readonly idempotencyKey: string | undefined;
  /** Reads under the row-level security of the caller's tenant. */
  read<T>(work: (db: Queryable, tenantId: string) => Promise<T>): Promise<T>;
  /** Writes, all of it or nothing. */
  write<T>(work: (db: Queryable, tenantId: string) => Promise<T>): Promise<T>;
}

export interface OwnRoute extends Omit<RouteSpec, 'tag' | 'bodyKind' | 'errors'> {
  /** One word; the audit log and the metrics call it x.<pipeline>.<name>. */
  readonly name: string;
  readonly method: Method;
  /** Behind /v1/x/<pipeline>. */
  readonly path: `/${string}`;
  handle(call: OwnCall): Promise<unknown>;
}

/** A call whose parts have the types of the route's schemas. */
type CallOf<Params extends z.ZodObject, Query extends z.ZodObject, Body extends z.ZodType> = Omit<
  OwnCall,
  'params' | 'query' | 'body'
> & { readonly params: z.output<Params>; readonly query: z.output<Query>; readonly body: z.output<Body> };

/** Gives a route its types. */
export function defineRoute<Params extends z.ZodObject, Query extends z.ZodObject, Body extends z.ZodType>(
  route: Omit<OwnRoute, 'params' | 'query' | 'body' | 'handle'> & {
    readonly params?: Params;
    readonly query?: Query;
    readonly body?: Body;
    handle(call: CallOf<Params, Query, Body>): Promise<unknown>;
  },
): OwnRoute {
  return route as unknown as OwnRoute;
}

export function ownPath(pipeline: string, path: string): string {
  return `/v1/x/${pipeline}${path}`;
}

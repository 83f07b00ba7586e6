// A route that a pipeline of one's own declares, and what its handler sees of a call.
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

export function ownPath(pipeline: string, path: string): string {
  return `/v1/x/${pipeline}${path}`;
}

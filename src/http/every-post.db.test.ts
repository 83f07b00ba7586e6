// Generated from the route table: every POST of someone signed in honours Idempotency-Key, and every change leaves a line in the audit
// log, even when its handler says nothing about it. The work behind each is a stub that counts, so that what is seen is the front of
// the API; an operation that is added later is in here without anybody thinking of it. What the real handlers write is counted in
// roles/audit-entries.db.test.ts.
import { beforeAll, describe, expect, it } from 'vitest';
import { buildTenant, buildUser, type TestUser, useApi } from '../../test/support/api.ts';
import { useDatabase } from '../../test/support/database.ts';
import { sampleOf } from '../../test/support/schema-sample.ts';
import { type OperationId, operations } from '../contract/api/operations.ts';
import type { Role } from '../contract/api/roles.ts';
import type { RouteSpec } from '../contract/api/route.ts';
import { routes } from '../contract/api/routes.ts';
import type { Handlers } from './call.ts';

const db = useDatabase();
const worked = new Map<OperationId, number>();

/** Sign-in has no effect to repeat, and its answer must not be kept. */
const withoutKey: readonly OperationId[] = ['auth.login'];

const posts = (Object.keys(operations) as OperationId[]).filter((operation) => operations[operation][0] === 'POST');
const changes = (Object.keys(operations) as OperationId[]).filter((operation) => operations[operation][0] !== 'GET');
const specOf = (operation: OperationId): RouteSpec => routes[operation];

const stubs = Object.fromEntries(
  changes.map((operation) => [
    operation,
    async () => {
      worked.set(operation, (worked.get(operation) ?? 0) + 1);
      const { answer } = specOf(operation);
      return answer.kind === 'json' ? sampleOf(answer.schema, 'output') : undefined;
    },
  ]),
) as unknown as Handlers;

const api = useApi(db, () => ({ handlers: stubs }));
const people = new Map<Role, TestUser>();
beforeAll(async () => {
  const tenantId = await buildTenant(db);
  for (const role of ['admin', 'support'] as const) people.set(role, await buildUser(db, tenantId, role));
});

/** Somebody who may call it. */
function callerOf(operation: OperationId): TestUser {
  const { access } = specOf(operation);
  const may = access.kind === 'roles' && !access.roles.includes('admin') ? 'support' : 'admin';
  return people.get(may) as TestUser;
}

function requestOf(operation: OperationId) {
  const { body, bodyKind, params } = specOf(operation);
  const isForm = bodyKind === 'multipart';
  return {
    as: callerOf(operation),
    ...(params ? { params: sampleOf(params, 'input') as Record<string, string> } : {}),
    ...(body && !isForm ? { body: sampleOf(body, 'input') } : {}),
    ...(isForm ? { body: { rows: [] } } : {}),
  };
}

describe('Idempotency-Key', () => {
  it.each(posts.filter((operation) => !withoutKey.includes(operation)))(
    '%s: a repetition gets the first answer and the work is done once; another request under the key is refused',
    async (operation) => {
      const headers = { 'idempotency-key': `once-${operation}` };
      const request = requestOf(operation);
      const first = await api.call(operation, { ...request, headers });
      expect([first.statusCode, first.body.slice(0, 300)]).toEqual([
        specOf(operation).answer.status,
        expect.anything(),
      ]);
      const again = await api.call(operation, { ...request, headers });
      expect([again.statusCode, again.body, again.headers['idempotent-replayed']]).toEqual([
        first.statusCode,
        first.body,
        'true',
      ]);
      expect(worked.get(operation)).toBe(1);
      const other = await api.call(operation, { ...request, query: { workspace_id: request.as.tenantId }, headers });
      expect([other.json().code, worked.get(operation)]).toEqual(['idempotency_key_reused', 1]);
    },
  );

  it('is looked at for every POST but sign-in', () => {
    const open = posts.filter((operation) => specOf(operation).access.kind !== 'roles');
    expect(open.filter((operation) => !withoutKey.includes(operation) && callerOf(operation) === undefined)).toEqual(
      [],
    );
    expect(posts.length).toBeGreaterThan(25);
  });
});

describe('the audit log', () => {
  it.each(changes.filter((operation) => operation !== 'auth.login'))(
    'has a line for %s: who, what, on which id',
    async (operation) => {
      const request = requestOf(operation);
      const headers = { 'x-correlation-id': `audited-${operation.replaceAll('.', '-')}` };
      const answer = await api.call(operation, { ...request, headers });
      expect([answer.statusCode, answer.body.slice(0, 300)]).toEqual([
        specOf(operation).answer.status,
        expect.anything(),
      ]);
      const { rows } = await db.admin.query<{ actor_id: string; target: string | null }>(
        `select actor_id, target from audit_log where action = $1 and correlation_id = $2`,
        [operation, headers['x-correlation-id']],
      );
      const target = 'params' in request ? Object.values(request.params ?? {}).join('/') : null;
      expect(rows).toEqual([{ actor_id: request.as.userId, target: target || null }]);
    },
  );
});

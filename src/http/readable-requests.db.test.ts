// Generated from the route table: no route takes text that cannot be stored, or a name it does not know. A route that is added later
// is in here without anybody thinking of it.
import { SignJWT } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildApiKey, buildTenant, buildUser, type TestUser, testSecrets, useApi } from '../../test/support/api.ts';
import { useDatabase } from '../../test/support/database.ts';
import { sampleOf } from '../../test/support/schema-sample.ts';
import { type OperationId, operations } from '../contract/api/operations.ts';
import type { Role } from '../contract/api/roles.ts';
import type { RouteSpec } from '../contract/api/route.ts';
import { routes } from '../contract/api/routes.ts';
import { defaultHttpSettings } from './app-deps.ts';

const db = useDatabase();
const api = useApi(db, () => ({ settings: { ...defaultHttpSettings, trustProxy: true } }));
const people = new Map<Role, TestUser>();
beforeAll(async () => {
  const tenantId = await buildTenant(db);
  for (const role of ['admin', 'support'] as const) people.set(role, await buildUser(db, tenantId, role));
});

/** The page of the API's description is no route of the table's server, and a socket answers with a close. */
const all = (Object.keys(operations) as OperationId[]).filter(
  (operation) => operation !== 'system.docs' && routes[operation].answer.kind !== 'socket',
);
const specOf = (operation: OperationId): RouteSpec => routes[operation];
const taking = (part: 'params' | 'query' | 'body') => all.filter((operation) => specOf(operation)[part] !== undefined);

function callerOf(operation: OperationId): TestUser {
  const { access } = specOf(operation);
  return people.get(access.kind === 'roles' && !access.roles.includes('admin') ? 'support' : 'admin') as TestUser;
}

function requestOf(operation: OperationId) {
  const { params, body, bodyKind } = specOf(operation);
  return {
    as: callerOf(operation),
    ...(params ? { params: sampleOf(params, 'input') as Record<string, string> } : {}),
    ...(body && bodyKind !== 'multipart' ? { body: sampleOf(body, 'input') } : {}),
  };
}

const hostile = { NUL: 'a\u0000b', 'half a character': 'a\ud83d' };

describe('text that cannot be stored', () => {
  it.each(taking('body'))('%s refuses it anywhere in its body, as a value and as a name', async (operation) => {
    for (const text of Object.values(hostile)) {
      for (const body of [{ any: { deep: [text] } }, { [text]: 1 }]) {
        const answer = await api.call(operation, { ...requestOf(operation), body });
        expect([answer.statusCode, answer.json().code]).toEqual([400, 'text_unstorable']);
      }
    }
  });

  it.each(taking('query'))('%s refuses it in every query parameter', async (operation) => {
    for (const name of Object.keys(specOf(operation).query?.shape ?? {})) {
      const answer = await api.call(operation, { ...requestOf(operation), query: { [name]: hostile.NUL } });
      expect([name, answer.statusCode, answer.json().code]).toEqual([name, 400, 'text_unstorable']);
    }
  });

  it.each(taking('params'))('%s refuses it in its address', async (operation) => {
    const request = requestOf(operation);
    const params = Object.fromEntries(Object.keys(request.params ?? {}).map((name) => [name, hostile.NUL]));
    const answer = await api.call(operation, { ...request, params });
    expect([answer.statusCode, answer.json().code]).toEqual([400, 'text_unstorable']);
  });

  it.each([
    ['a byte that is no character', [0xff]],
    ['half a character', [0xed, 0xa0, 0x80]],
    ['a character that is cut off', [0xc3]],
  ])('%s in a body of JSON is refused and not replaced', async (_, bytes) => {
    const payload = Buffer.concat([Buffer.from('{"name":"a'), Buffer.from(bytes), Buffer.from('"}')]);
    const { token } = people.get('admin') as TestUser;
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const answer = await api.server.inject({ method: 'POST', url: '/v1/clients', headers, payload });
    expect([answer.statusCode, answer.json().code]).toEqual([400, 'body_not_utf8']);
  });

  it.each(Object.entries(hostile).filter(([what]) => what === 'NUL'))(
    '%s in the address of a page, of its files or of nothing is refused, too',
    async (_, text) => {
      for (const url of ['/', '/assets/', '/docs/', '/v1/nothing/']) {
        const answer = await api.server.inject({ url: `${url}${encodeURIComponent(text)}` });
        expect([url, answer.statusCode, answer.json().code]).toEqual([url, 400, 'text_unstorable']);
      }
    },
  );

  it('a list named "rows" is looked at like everything else where no rows are taken', async () => {
    const request = { as: people.get('admin') as TestUser, body: { name: 'Acme', rows: [hostile.NUL] } };
    const answer = await api.call('clients.create', request);
    expect([answer.statusCode, answer.json().code]).toEqual([400, 'text_unstorable']);
  });

  it('there is something to refuse', () => {
    expect(Math.min(taking('body').length, taking('query').length, taking('params').length)).toBeGreaterThan(20);
  });
});

describe('names nobody reads', () => {
  it.each(all)('%s refuses a query parameter it does not know', async (operation) => {
    const answer = await api.call(operation, { ...requestOf(operation), query: { zzzzzzzz: '1' } });
    expect([answer.statusCode, answer.json().code]).toEqual([400, 'name_unknown']);
  });

  it('the refusal names the parameter that is spelt most like it', async () => {
    const answer = await api.call('runs.list', { as: people.get('admin') as TestUser, query: { pipelin: 'x' } });
    expect(answer.json().detail).toBe(
      'The request has a query parameter that is not known here: "pipelin"; did you mean "pipeline"?',
    );
  });
});

describe('positions in lists that are none', () => {
  const lists = taking('query').filter((operation) => 'after' in (specOf(operation).query?.shape ?? {}));
  const none = ['9999999999999999999', '2026-02-30', '2026-99-99T99:99:99.999999Z', ...Object.values(hostile)];
  const cursors = none.flatMap((part) => [[part], [part, part], ['2026-02-15', part], [part, part, part]]);

  it.each(lists)('%s refuses them, and none is a fault of ours', async (operation) => {
    const answers = new Set<number>();
    for (const cursor of cursors) {
      const query = { after: Buffer.from(JSON.stringify(cursor)).toString('base64url') };
      answers.add((await api.call(operation, { ...requestOf(operation), query })).statusCode);
    }
    // Lists of pipelines are not served here; the cursor is read by what they all use.
    expect([...answers].filter((status) => ![400, 404, 501].includes(status))).toEqual([]);
  });

  it('are of every list', () => {
    expect(lists.length).toBeGreaterThan(20);
  });
});

describe('addresses, times and keys that are none', () => {
  it.each(['/v1/runs/%', '/v1/runs?pipeline=%E0%A4%A', '/v1/runs/%ED%A0%80', '/v1/runs?x=%zz'])(
    '%s is refused as a problem object',
    async (url) => {
      const { token } = people.get('admin') as TestUser;
      const answer = await api.server.inject({ url, headers: { authorization: `Bearer ${token}` } });
      expect(answer.headers['content-type']).toContain('application/problem+json');
      expect([answer.statusCode, answer.json().code]).toEqual([400, 'address_malformed']);
    },
  );

  it.each([1e99, 8_640_000_000_001, Number.MAX_SAFE_INTEGER])(
    'a token of ours that ends at %d, which is no date, is refused and breaks nothing',
    async (exp) => {
      const { userId, tenantId } = people.get('admin') as TestUser;
      const token = await new SignJWT({ tenant_id: tenantId, role: 'admin', ver: 1, exp })
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
        .setSubject(userId)
        .setIssuer('millrace')
        .setIssuedAt()
        .sign(testSecrets.token);
      const answer = await api.call('auth.me', { as: token });
      expect([answer.statusCode, answer.json().code]).toEqual([401, 'unauthenticated']);
    },
  );

  it('a key that has expired before it is made is not made', async () => {
    const body = { name: 'late', scopes: ['runs:read'], expires_at: '2001-01-01T00:00:00Z' };
    const answer = await api.call('api-keys.create', { as: people.get('admin') as TestUser, body });
    expect([answer.statusCode, answer.json().code]).toEqual([400, 'api_key_already_expired']);
  });
});

describe('what ends, ends at once in this process', () => {
  it('a revoked key that was just used is refused by the next request', async () => {
    const admin = people.get('admin') as TestUser;
    const { token, keyId } = await buildApiKey(db, admin.tenantId, ['data:read']);
    expect((await api.call('clients.list', { as: token })).statusCode).toBe(200);
    await api.call('api-keys.revoke', { as: admin, params: { key_id: keyId } });
    expect((await api.call('clients.list', { as: token })).statusCode).toBe(401);
  });

  it('a revoked membership that was just used is refused by the next request', async () => {
    const support = people.get('support') as TestUser;
    const tenantId = await buildTenant(db, 'Reached');
    const admin = await buildUser(db, tenantId, 'admin');
    const body = { email: support.email, reason: 'a look at a failed run', hours: 1 };
    const made = await api.call('memberships.create', { as: admin, body });
    const reach = () => api.call('auth.me', { as: support, headers: { 'millrace-tenant': tenantId } });
    expect((await reach()).statusCode).toBe(200);
    await api.call('memberships.revoke', { as: admin, params: { membership_id: made.json().membership_id } });
    expect((await reach()).json().code).toBe('tenant_unreachable');
  });
});

describe('TLS', () => {
  it('an answer over TLS tells browsers to stay with it; one over plain HTTP does not', async () => {
    const tls = await api.server.inject({ url: '/health', headers: { 'x-forwarded-proto': 'https' } });
    expect(tls.headers['strict-transport-security']).toBe('max-age=31536000');
    expect((await api.server.inject({ url: '/health' })).headers['strict-transport-security']).toBeUndefined();
  });
});

// The HTTP app from outside: sign-in, cookies, roles, workspace, errors, documents. Runs on a real database, requests injected.
import { beforeAll, describe, expect, it } from 'vitest';
import { buildApiKey, buildTenant, buildUser, type TestUser, useApi } from '../../test/support/api.ts';
import { useDatabase } from '../../test/support/database.ts';
import { createUser } from '../access/operator.ts';
import { MillraceError } from '../contract/errors/millrace-error.ts';

const db = useDatabase();
const canary = 'postgres://millrace:s3cr3t-canary@db.internal/x';
const api = useApi(db, () => ({
  handlers: {
    'samples.list': async () => {
      throw new Error(`boom ${canary} ada@example.test`);
    },
    'operate.workers': async () => {
      throw new MillraceError('database_unreachable', { target: 'db.internal:5432', reason: canary });
    },
    'operate.lanes': async () => ({ data: 'not a list' }) as never,
  },
}));
let tenantId = '';
let admin: TestUser;
let user: TestUser;

beforeAll(async () => {
  tenantId = await buildTenant(db);
  admin = await buildUser(db, tenantId, 'admin');
  user = await buildUser(db, tenantId, 'user');
});

describe('signing in over HTTP', () => {
  it('a one-time password signs in, must be changed, and only then opens the rest; the old token is dead', async () => {
    const made = await createUser(db.app, { tenantId, email: 'new@example.test', role: 'user' });
    const credentials = { email: 'new@example.test', password: made.oneTimePassword };
    const first = (await api.call('auth.login', { body: credentials })).json();
    expect(first.me).toMatchObject({ email: 'new@example.test', role: 'user', must_change_password: true });
    const reused = (await api.call('auth.login', { body: credentials })).json();
    expect(reused).toMatchObject({ status: 401, code: 'one_time_password_used' });
    const blocked = await api.call('clients.list', { as: first.token });
    expect(blocked.json()).toMatchObject({ code: 'password_change_required', status: 403 });
    const body = { current: credentials.password, new: 'a much better password' };
    const second = (await api.call('auth.password', { as: first.token, body })).json();
    expect((await api.call('clients.list', { as: second.token })).statusCode).toBe(200);
    expect((await api.call('auth.me', { as: first.token })).statusCode).toBe(401);
  });

  it('with cookie: true the token is in an HttpOnly, SameSite cookie and not in the body', async () => {
    const made = await createUser(db.app, { tenantId, email: 'cookie@example.test', role: 'user' });
    const body = { email: 'cookie@example.test', password: made.oneTimePassword, cookie: true };
    const answer = await api.call('auth.login', { body });
    const cookie = String(answer.headers['set-cookie']);
    expect(cookie).toMatch(/^millrace_session=[^;]+; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(answer.json().token).toBeUndefined();
    const [session] = cookie.split(';');
    const send = (headers: Record<string, string>) =>
      api.call('auth.logout', { headers: { cookie: session ?? '', host: 'localhost:8080', ...headers } });
    expect((await api.call('auth.me', { headers: { cookie: session ?? '' } })).statusCode).toBe(200);
    expect((await send({ origin: 'https://evil.test' })).json().code).toBe('origin_refused');
    expect((await send({ 'sec-fetch-site': 'cross-site' })).json().code).toBe('origin_refused');
    expect((await send({ origin: 'http://localhost:8080' })).statusCode).toBe(204);
    expect((await api.call('auth.me', { headers: { cookie: session ?? '' } })).statusCode).toBe(401);
  });

  it('no credential, a broken header and a foreign token get the same 401', async () => {
    const answers = await Promise.all([
      api.call('runs.list'),
      api.call('runs.list', { headers: { authorization: 'Basic YTpi' } }),
      api.call('runs.list', { as: `${admin.token}x` }),
    ]);
    for (const answer of answers) {
      expect(answer.statusCode).toBe(401);
      expect(answer.json().code).toBe('unauthenticated');
      expect(answer.headers['www-authenticate']).toContain('Bearer');
    }
  });
});

describe('who may', () => {
  it('a user is refused what only admins may, and that is audited', async () => {
    const answer = await api.call('users.list', { as: user });
    expect(answer.json()).toMatchObject({ status: 403, code: 'forbidden', detail: expect.stringContaining('"user"') });
    const log = (await api.call('operate.audit', { as: admin, query: { action: 'users.list' } })).json();
    expect(log.data[0]).toMatchObject({ outcome: 'denied', actor: user.email, data: { code: 'forbidden' } });
  });

  it('an API key needs the scope, and never manages people', async () => {
    const { token } = await buildApiKey(db, tenantId, ['data:read']);
    expect((await api.call('clients.list', { as: token })).statusCode).toBe(200);
    expect((await api.call('auth.me', { as: token })).json()).toMatchObject({ user_id: null, scopes: ['data:read'] });
    expect((await api.call('operate.schedules', { as: token })).json().code).toBe('scope_missing');
    expect((await api.call('clients.create', { as: token, body: { name: 'x' } })).json().code).toBe('forbidden');
    expect((await api.call('auth.logout', { as: token })).json().code).toBe('people_only');
  });

  it('workspace_id in body or query must be the tenant of the credential', async () => {
    const other = await buildTenant(db, 'Other');
    const create = (workspace_id: string) =>
      api.call('clients.create', { as: admin, body: { name: `client ${workspace_id}`, workspace_id } });
    expect((await create(tenantId)).statusCode).toBe(201);
    expect((await create(other)).json()).toMatchObject({ status: 403, code: 'workspace_mismatch' });
    const listed = await api.call('clients.list', { as: admin, query: { workspace_id: other } });
    expect(listed.json().code).toBe('workspace_mismatch');
  });
});

describe('people, clients and keys', () => {
  it('an admin adds, changes and removes a user; the change ends the user’s session at once', async () => {
    const body = { email: 'Grace@Example.test', role: 'admin' };
    const made = (await api.call('users.create', { as: admin, body })).json();
    expect(made).toMatchObject({ email: 'grace@example.test', role: 'admin', one_time_password: expect.any(String) });
    expect((await api.call('users.create', { as: admin, body })).json().code).toBe('email_taken');
    const { token } = (
      await api.call('auth.login', { body: { email: body.email, password: made.one_time_password } })
    ).json();
    expect((await api.call('auth.me', { as: token })).statusCode).toBe(200);
    const params = { user_id: made.user_id };
    const lowered = await api.call('users.update', { as: admin, params, body: { role: 'user' } });
    expect(lowered.json().role).toBe('user');
    expect((await api.call('auth.me', { as: token })).statusCode).toBe(401);
    expect((await api.call('users.remove', { as: admin, params })).statusCode).toBe(204);
    expect((await api.call('users.show', { as: admin, params })).json().code).toBe('user_not_found');
  });

  it('lists are paged by an opaque cursor that must be one of ours', async () => {
    for (const name of ['one', 'two', 'three']) await api.call('clients.create', { as: admin, body: { name } });
    const seen: string[] = [];
    let after: string | null = null;
    do {
      const query: Record<string, string> = { limit: '2', ...(after ? { after } : {}) };
      const page = (await api.call('clients.list', { as: admin, query })).json();
      seen.push(...page.data.map((client: { name: string }) => client.name));
      after = page.next;
    } while (after !== null);
    expect(seen.slice(-3)).toEqual(['one', 'two', 'three']);
    expect(new Set(seen).size).toBe(seen.length);
    for (const forged of ['x', 'e30', 'WyJhIl0', 'a'.repeat(400)]) {
      const answer = await api.call('clients.list', { as: admin, query: { after: forged } });
      expect(answer.json()).toMatchObject({ status: 400, code: 'cursor_malformed' });
    }
  });

  it('a new API key is shown once; afterwards only its description', async () => {
    const body = { name: 'ci', scopes: ['data:read'] };
    const { key, key_id } = (await api.call('api-keys.create', { as: admin, body })).json();
    expect((await api.call('clients.list', { as: key })).statusCode).toBe(200);
    expect((await api.call('api-keys.list', { as: admin })).body).not.toContain(key.split('.')[1]);
    await api.call('api-keys.revoke', { as: admin, params: { key_id } });
    expect((await api.call('clients.list', { as: key })).statusCode).toBe(401);
  });
});

describe('errors', () => {
  it('an unknown failure is "internal" with a correlation id: no stack, no secret, no name', async () => {
    const answer = await api.call('samples.list', { as: admin, headers: { 'x-correlation-id': 'corr-12345' } });
    expect(answer.statusCode).toBe(500);
    expect(answer.headers['content-type']).toContain('application/problem+json');
    expect(answer.json()).toMatchObject({ code: 'internal', correlation_id: 'corr-12345', instance: '/v1/samples' });
    expect(answer.body).not.toMatch(/canary|boom|example|\.ts|at /);
  });

  it('a database that is away is 503 with Retry-After, and does not say where it is', async () => {
    const answer = await api.call('operate.workers', { as: admin });
    expect(answer.statusCode).toBe(503);
    expect(answer.headers['retry-after']).toBe('2');
    expect(answer.json().code).toBe('database_unreachable');
    expect(answer.body).not.toMatch(/canary|internal:5432/);
  });

  it('an answer that breaks its own schema is a fault of ours, not something half right', async () => {
    const answer = await api.call('operate.lanes', { as: admin });
    expect(answer.json()).toMatchObject({ status: 500, code: 'internal' });
  });

  it('says which fields of a request are wrong', async () => {
    const answer = await api.call('users.create', { as: admin, body: { email: 'nope', role: 'king', extra: 1 } });
    expect(answer.json()).toMatchObject({ status: 400, code: 'request_invalid' });
    expect(answer.json().errors.map((fault: { path: string }) => fault.path)).toEqual(
      expect.arrayContaining(['email', 'role']),
    );
    const bad = await api.call('users.show', { as: admin, params: { user_id: 'not-an-id' } });
    expect(bad.json().errors[0]).toMatchObject({ where: 'params', path: 'user_id' });
  });

  it('malformed JSON, another media type, too large a body and an unknown path have answers of their own', async () => {
    const post = (payload: string, type: string) =>
      api.server.inject({
        method: 'POST',
        url: '/v1/clients',
        headers: { authorization: `Bearer ${admin.token}`, 'content-type': type },
        payload,
      });
    expect((await post('{"name":', 'application/json')).json().code).toBe('body_malformed');
    expect((await post('name=x', 'text/csv')).json().code).toBe('media_type_unsupported');
    expect((await post(`{"name":"${'x'.repeat(1_100_000)}"}`, 'application/json')).json().code).toBe('body_too_large');
    expect((await api.server.inject('/v1/nothing')).json()).toMatchObject({ status: 404, code: 'route_not_found' });
    expect((await post('{"__proto__":{"admin":true},"name":"x"}', 'application/json')).statusCode).toBe(400);
  });
});

describe('what a browser gets', () => {
  it('every answer carries a policy that runs nothing foreign and nothing inline', async () => {
    for (const url of ['/', '/health', '/docs', '/openapi.json', '/v1/runs', '/nothing']) {
      const { headers } = await api.server.inject(url);
      const policy = String(headers['content-security-policy']);
      expect([url, policy]).toEqual([url, expect.stringContaining("default-src 'none'")]);
      expect(policy).not.toMatch(/unsafe|\*|https:/);
      expect(headers['x-content-type-options']).toBe('nosniff');
    }
  });

  it('/docs needs no inline script or style and no foreign host', async () => {
    const page = (await api.server.inject('/docs')).body;
    expect(page).not.toMatch(/<script>|<style>|style="|https?:\/\//);
    expect((await api.server.inject('/docs/static/swagger-ui-bundle.js')).statusCode).toBe(200);
  });

  it('/docs describes what /openapi.json describes', async () => {
    const shown = (await api.server.inject('/docs/json')).json();
    expect(shown).toEqual((await api.server.inject('/openapi.json')).json());
    expect(Object.keys(shown.paths).length).toBeGreaterThan(50);
  });

  it('without a built console there is a plain page', async () => {
    expect((await api.server.inject('/')).body).toContain('Millrace is running');
  });
});

describe('health', () => {
  it('/health asks nobody; /ready asks the database', async () => {
    expect((await api.server.inject('/health')).json().status).toBe('ok');
    expect((await api.server.inject('/ready')).json()).toMatchObject({
      status: 'ready',
      checks: { database: { ok: true } },
    });
  });

  it('/metrics is open on loopback and names operations, not paths', async () => {
    await api.call('users.show', { as: admin, params: { user_id: admin.userId } });
    const { body } = await api.server.inject('/metrics');
    expect(body).toContain('millrace_http_request_seconds_count{operation="users.show",status="2xx"}');
    expect(body).toMatch(/^millrace_database_latency_seconds 0?\.?\d/m);
    expect(body).toMatch(/^millrace_pool_connections\{pool="api",state="open"\} [1-9]/m);
    expect(body).toContain('millrace_pool_connections{pool="api",state="waiting"} 0');
    expect(body).not.toContain(admin.userId);
  });
});

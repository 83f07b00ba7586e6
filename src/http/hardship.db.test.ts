// The API in hard times: no free connection, no database, slow senders, forged tokens, authentication switched off, one
// connection pool shared by many tenants.
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buildTenant, buildUser, type TestUser, testSecrets } from '../../test/support/api.ts';
import { useDatabase } from '../../test/support/database.ts';
import { dose } from '../../test/support/dose.ts';
import { addClient } from '../access/clients.ts';
import { inTenant } from '../access/tenant-session.ts';
import { signToken } from '../access/tokens.ts';
import type { Role } from '../contract/api/roles.ts';
import { createPool, type Pool } from '../platform/database.ts';
import { uuidv7 } from '../platform/ids.ts';
import { silentLog } from '../platform/log.ts';
import { createApp } from './app.ts';
import { type AppDeps, defaultHttpSettings, type HttpSettings } from './app-deps.ts';

const REQUESTS = dose(2_000, 10_000);
const db = useDatabase();
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});
let tenantId = '';
let admin: TestUser;
beforeAll(async () => {
  tenantId = await buildTenant(db);
  admin = await buildUser(db, tenantId, 'admin');
});

async function appWith(settings: Partial<HttpSettings> = {}, deps: Partial<AppDeps> = {}) {
  const server = await createApp({
    settings: { ...defaultHttpSettings, ...settings },
    log: silentLog,
    pool: db.app,
    secrets: testSecrets,
    ...deps,
  });
  closing.push(() => server.close());
  return server;
}

function smallPool(url: string, max: number, connectTimeoutMs: number): Pool {
  const pool = createPool({ url, role: 'millrace_app', max, applicationName: 'small', connectTimeoutMs });
  closing.push(() => pool.end());
  return pool;
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe('without a free connection', () => {
  it('requests beyond the pool get 503 with Retry-After without waiting for each other, and work again afterwards', async () => {
    const pool = smallPool(db.appUrl, 2, 300);
    const server = await appWith({}, { pool });
    const askAll = async () => {
      const startedAt = performance.now();
      const asked = Array.from({ length: 20 }, () =>
        server.inject({ url: '/v1/clients', headers: bearer(admin.token) }),
      );
      return { answers: await Promise.all(asked), ms: performance.now() - startedAt };
    };
    const served = await askAll();
    const held = await Promise.all([pool.connect(), pool.connect()]);
    const { answers, ms } = await askAll();
    // They wait side by side: one after the other they would take 40 s and more.
    expect(ms).toBeLessThan(20_000 + 5 * served.ms);
    for (const answer of answers) {
      expect(answer.statusCode).toBe(503);
      expect(answer.headers['retry-after']).toBe('2');
      expect(answer.json().code).toBe('pool_exhausted');
    }
    for (const client of held) client.release();
    expect((await server.inject({ url: '/v1/clients', headers: bearer(admin.token) })).statusCode).toBe(200);
  });
});

describe('without a database', () => {
  it('answers 503 and says nothing about where it should be; /health lives, /ready does not', async () => {
    const away = new URL(db.appUrl);
    away.port = '1';
    const server = await appWith({}, { pool: smallPool(away.href, 2, 500) });
    const answer = await server.inject({ url: '/v1/clients', headers: bearer(admin.token) });
    expect([answer.statusCode, answer.json().code]).toEqual([503, 'database_unreachable']);
    expect(answer.body).not.toMatch(/127\.0\.0\.1|:1\b|ECONNREFUSED|mt_/);
    const login = { email: 'a@b.test', password: 'whatever it is' };
    expect((await server.inject({ method: 'POST', url: '/v1/auth/login', payload: login })).statusCode).toBe(503);
    expect((await server.inject('/health')).statusCode).toBe(200);
    const ready = await server.inject('/ready');
    expect([ready.statusCode, ready.json().status]).toEqual([503, 'not_ready']);
    expect(ready.json().checks.database).toMatchObject({ ok: false, detail: 'does not answer' });
  });
});

describe('slow senders', () => {
  it('a body that does not arrive in time is answered 408 and its connection closed', async () => {
    const server = await appWith({ receiveTimeoutMs: 100 });
    const { port } = new URL(await server.listen({ host: '127.0.0.1', port: 0 }));
    const socket = connect(Number(port), '127.0.0.1');
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString();
    });
    socket.write(
      `POST /v1/clients HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${admin.token}\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{"name`,
    );
    await once(socket, 'close');
    expect(text).toMatch(/^HTTP\/1\.1 408 /);
    expect(text).toContain('request_timeout');
  });
});

describe('forged tokens', () => {
  it('a token signed with the right secret for another tenant, role or version opens nothing', async () => {
    const server = await appWith();
    const user = await buildUser(db, tenantId, 'user');
    const other = await buildTenant(db, 'Other');
    const expiresAt = new Date(Date.now() + 60_000);
    const attempt = async (claims: { tenantId?: string; role?: Role; version?: number; userId?: string }) => {
      const token = await signToken(
        testSecrets.token,
        { userId: user.userId, tenantId, role: 'user', version: 1, ...claims },
        expiresAt,
      );
      return (await server.inject({ url: '/v1/auth/me', headers: bearer(token) })).statusCode;
    };
    expect(await attempt({})).toBe(200);
    expect(await attempt({ tenantId: other })).toBe(401);
    expect(await attempt({ role: 'admin' })).toBe(401);
    expect(await attempt({ version: 2 })).toBe(401);
    expect(await attempt({ userId: uuidv7() })).toBe(401);
  });
});

describe('AUTH_ENABLED=false', () => {
  it('is refused unless the server listens on loopback', async () => {
    for (const host of ['0.0.0.0', '::', '192.0.2.1', 'millrace.example'])
      await expect(appWith({ authEnabled: false, host })).rejects.toMatchObject({ code: 'auth_off_exposed' });
    for (const host of ['127.0.0.1', '::1', 'localhost'])
      await expect(appWith({ authEnabled: false, host })).resolves.toBeDefined();
  });

  it('makes every caller on this machine an admin, but not one that comes through a foreign name or page', async () => {
    const server = await appWith({ authEnabled: false });
    const ask = (headers: Record<string, string>, method: 'GET' | 'POST' = 'GET') =>
      server.inject({
        method,
        url: '/v1/clients',
        headers,
        ...(method === 'POST' ? { payload: { name: uuidv7() } } : {}),
      });
    expect((await ask({ host: 'localhost:8080' })).statusCode).toBe(200);
    expect((await ask({ host: '127.0.0.1:8080' }, 'POST')).statusCode).toBe(201);
    expect((await ask({ host: 'evil.test' })).json().code).toBe('origin_refused');
    expect((await ask({ host: 'localhost:8080', origin: 'https://evil.test' }, 'POST')).json().code).toBe(
      'origin_refused',
    );
    const me = await server.inject({ url: '/v1/auth/me', headers: { host: 'localhost' } });
    expect(me.json()).toMatchObject({ user_id: null, role: 'admin' });
  });
});

describe('one pool, many tenants', () => {
  it(`${REQUESTS} interleaved requests of 50 tenants over 5 connections, one in twenty cut off, never show a foreign row`, async () => {
    const pool = smallPool(db.appUrl, 5, 20_000);
    const server = await appWith({}, { pool });
    const { port } = new URL(await server.listen({ host: '127.0.0.1', port: 0 }));
    const people = await Promise.all(
      Array.from({ length: 50 }, async (_, n) => {
        const tenant = await buildTenant(db, `T${n}`);
        await inTenant(db.app, tenant, (tx) => addClient(tx, tenant, `client of T${n}`));
        return { name: `client of T${n}`, ...(await buildUser(db, tenant, 'user')) };
      }),
    );
    const cutOff = (token: string) => {
      const socket = connect(Number(port), '127.0.0.1');
      socket.on('error', () => undefined);
      socket.write(`GET /v1/clients HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`, () =>
        socket.destroy(),
      );
    };
    let foreign = 0;
    let answered = 0;
    const ask = async (n: number) => {
      const person = people[n % people.length] ?? people[0]!;
      if (n % 20 === 7) cutOff(person.token);
      const answer = await server.inject({ url: '/v1/clients', headers: bearer(person.token) });
      const names: string[] = answer.json().data.map((client: { name: string }) => client.name);
      if (names.length !== 1 || names[0] !== person.name) foreign += 1;
      answered += 1;
    };
    for (let from = 0; from < REQUESTS; from += 100)
      await Promise.all(Array.from({ length: 100 }, (_, n) => ask(from + n)));
    expect([answered, foreign]).toEqual([REQUESTS, 0]);
  });
});

// The HTTP app on a test database, with tenants and people made without the cost of bcrypt, and requests injected or over a socket.
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll } from 'vitest';
import { makeApiKey } from '../../src/access/api-key-text.ts';
import { issueSession } from '../../src/access/login.ts';
import { createTenant } from '../../src/access/operator.ts';
import { deriveSecrets } from '../../src/access/secrets.ts';
import { insertApiKey } from '../../src/access/sql/list-api-keys.ts';
import { inTenant } from '../../src/access/tenant-session.ts';
import { addUser } from '../../src/access/users.ts';
import { type OperationId, operations } from '../../src/contract/api/operations.ts';
import type { Role, Scope } from '../../src/contract/api/roles.ts';
import { createApp } from '../../src/http/app.ts';
import { type AppDeps, defaultHttpSettings } from '../../src/http/app-deps.ts';
import { uuidv7 } from '../../src/platform/ids.ts';
import { silentLog } from '../../src/platform/log.ts';
import type { TestDatabase } from './database.ts';
import { feedAll, hear, isListening } from './heard.ts';
import { heardLog } from './judgments-canaries.ts';
import { kitParts } from './kit-parts.ts';

export const testSecrets = deriveSecrets(Buffer.alloc(32, 42));
const noPassword = `$2b$12$${'x'.repeat(53)}`;

export interface TestUser {
  readonly userId: string;
  readonly email: string;
  readonly tenantId: string;
  readonly role: Role;
  readonly token: string;
}

export interface TestApi {
  readonly server: FastifyInstance;
  call(
    operation: OperationId,
    options?: {
      as?: { token: string } | string;
      params?: Record<string, string>;
      query?: Record<string, string>;
      body?: unknown;
      headers?: Record<string, string>;
    },
  ): Promise<LightMyRequestResponse>;
}

export function useApi(database: TestDatabase, deps: () => Partial<AppDeps> = () => ({})): TestApi {
  let server: FastifyInstance | undefined;
  beforeAll(async () => {
    const given = deps();
    server = await createApp({
      settings: defaultHttpSettings,
      pool: database.app,
      secrets: testSecrets,
      ...given,
      pipelines: kitParts(given.engine, given.pipelines),
      log: isListening() ? heardLog(given.log) : (given.log ?? silentLog),
    });
  });
  afterAll(async () => {
    if (isListening()) await hearFigures(api, database);
    await server?.close();
  });
  const api: TestApi = {
    get server() {
      if (server === undefined) throw new Error('the app exists only inside tests and hooks');
      return server;
    },
    async call(operation, { as, params = {}, query, body, headers = {} } = {}) {
      const [method, path] = operations[operation];
      const token = typeof as === 'string' ? as : as?.token;
      const request: InjectOptions = {
        method,
        url: path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? name)),
        headers: { ...(token ? { authorization: `Bearer ${token}` } : {}), ...headers },
        ...(query ? { query } : {}),
        ...(body === undefined ? {} : { payload: body as object }),
      };
      const answer = await this.server.inject(request);
      // Answers hold rows of their own tenant; errors and figures may not.
      if (answer.statusCode >= 400 || figures.has(operation)) hear(answer.body);
      return answer;
    },
  };
  return api;
}

const figures: ReadonlySet<OperationId> = new Set([
  'system.metrics',
  'system.prometheus',
  'operate.audit',
  'alerts.list',
]);

/** What the figures say of a tenant that has just imported people. */
async function hearFigures(api: TestApi, database: TestDatabase): Promise<void> {
  const tenantId = await buildTenant(database);
  await feedAll(tenantId);
  const user = await buildUser(database, tenantId, 'admin');
  for (const operation of figures) await api.call(operation, { as: user });
}

export async function buildTenant(database: TestDatabase, name = 'Tenant'): Promise<string> {
  return (await createTenant(database.app, { name })).tenant_id;
}

export async function buildUser(database: TestDatabase, tenantId: string, role: Role = 'admin'): Promise<TestUser> {
  const email = `${role}-${uuidv7()}@example.test`;
  const user = await inTenant(database.app, tenantId, (db) =>
    addUser(db, tenantId, { email, role }, noPassword, false),
  );
  const { token } = await issueSession(
    { secrets: testSecrets, expiryHours: 1 },
    { ...user, tenant_id: tenantId, token_version: 1 },
  );
  return { userId: user.user_id, email, tenantId, role, token };
}

export async function buildApiKey(
  database: TestDatabase,
  tenantId: string,
  scopes: readonly Scope[],
): Promise<{ token: string; keyId: string }> {
  const keyId = uuidv7();
  const { text, secretHash } = makeApiKey(tenantId, keyId);
  await inTenant(database.app, tenantId, (db) =>
    insertApiKey(db, { keyId, tenantId, name: 'test', secretHash, scopes, createdBy: null, expiresAt: null }),
  );
  return { token: text, keyId };
}

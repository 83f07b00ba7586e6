// A server for the search bench: the documents pipeline and the API on a database of its own, on loopback, with a model whose vectors are
// kept from one bench to the next.
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { issueSession } from '../../src/access/login.ts';
import { createTenant } from '../../src/access/operator.ts';
import { deriveSecrets } from '../../src/access/secrets.ts';
import { APP_ROLE, inTenant } from '../../src/access/tenant-session.ts';
import { addUser } from '../../src/access/users.ts';
import { type Client, createClient } from '../../src/contract/api/client.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { createApp } from '../../src/http/app.ts';
import { defaultHttpSettings } from '../../src/http/app-deps.ts';
import { defaultUploadLimits } from '../../src/http/uploads/upload-limits.ts';
import { kitRoles } from '../../src/pipelines/all.ts';
import { documentsPipeline } from '../../src/pipelines/documents/documents.pipeline.ts';
import type { Embedder } from '../../src/pipelines/documents/embedding/embedder.ts';
import { changeHandlers } from '../../src/pipelines/documents/http/change-handlers.ts';
import { documentsIntake, ingestHandler } from '../../src/pipelines/documents/http/ingest.ts';
import { searchHandlers } from '../../src/pipelines/documents/http/search-handlers.ts';
import { openSearch } from '../../src/pipelines/documents/search/search-deps.ts';
import { createPool, type Pool } from '../../src/platform/database.ts';
import { type Log, silentLog } from '../../src/platform/log.ts';
import { migrate } from '../../src/platform/migrate.ts';
import { openDatabase } from '../../src/platform/open-database.ts';
import { throughIndexes } from '../../src/platform/planner-settings.ts';
import { documentsDeps } from '../support/documents-deps.ts';
import { buildEngine } from '../support/engine.ts';
import { makeTempHome, removeTempHome } from '../support/temp-home.ts';
import { openKeptEmbedder } from './search-embedder.ts';

/** Nobody signs in here. */
const noPassword = `$2b$12$${'x'.repeat(53)}`;

export interface SearchServer {
  readonly url: string;
  /** As the owner of the tables: for seeding. */
  readonly admin: Pool;
  readonly engine: Engine;
  readonly embedder: Embedder;
  readonly runtime: string;
  tenant(name: string): Promise<BenchTenant>;
  /** A tenant of an earlier bench on the same home. */
  signIn(user: BenchUser): Promise<BenchTenant>;
  close(): Promise<void>;
}

type BenchUser = Parameters<typeof issueSession>[1];

export interface BenchTenant {
  readonly user: BenchUser;
  readonly call: Client;
}

/** On the home that is given, which stays; else on one that goes with the server. */
export async function openSearchServer(say: (line: string) => void, given?: string): Promise<SearchServer> {
  const home = given ?? makeTempHome('bench-search');
  const database = await openDatabase({ home }, silentLog);
  await migrate({ url: database.adminUrl, appLogin: database.appLogin, log: silentLog, roles: kitRoles });
  const connecting = { applicationName: 'bench', connectTimeoutMs: 10_000 };
  const admin = createPool({ url: database.adminUrl, max: 2, ...connecting });
  // As requests have it: their statements are planned through indexes.
  const app = createPool({
    ...{ url: database.appUrl, role: APP_ROLE, max: 6, ...connecting },
    sessionSettings: throughIndexes,
  });
  const embedder = await openKeptEmbedder(say);
  const deps = documentsDeps(path.join(home, 'documents'), {
    embedder,
    search: openSearch(embedder, { embedTimeoutMs: 120_000, statementTimeoutMs: 120_000 }),
  });
  const log = troubleLog(say);
  const secrets = deriveSecrets(Buffer.alloc(32, 1));
  const engine = await buildEngine(database.appUrl, [documentsPipeline(deps)], {
    log,
    // The machine embeds at the same time; nothing is killed here.
    settings: { leaseMs: 60_000, heartbeatMs: 5_000 },
  });
  await engine.start();
  const server = await createApp({
    settings: { ...defaultHttpSettings, pages: false },
    pool: app,
    secrets,
    engine,
    log,
    pipelines: { documents: { intake: documentsIntake(engine, log) } },
    handlers: {
      ...ingestHandler({ store: deps.store, limits: defaultUploadLimits }),
      ...changeHandlers(deps),
      ...searchHandlers(deps.search),
    },
  });
  await server.listen({ host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`;
  const signIn = async (user: BenchUser): Promise<BenchTenant> => {
    const { token } = await issueSession({ secrets, expiryHours: 24 }, user);
    return { user, call: createClient({ baseUrl: url, token }) };
  };
  return {
    url,
    admin,
    engine,
    embedder,
    runtime: await embedder.runtime(),
    async tenant(name) {
      const { tenant_id: tenantId } = await createTenant(app, { name });
      const email = `${name.replaceAll(' ', '-')}@example.test`;
      const user = await inTenant(app, tenantId, (db) =>
        addUser(db, tenantId, { email, role: 'admin' }, noPassword, false),
      );
      return signIn({ ...user, tenant_id: tenantId, token_version: 1 });
    },
    signIn,
    async close() {
      await server.close();
      await engine.close();
      embedder.close();
      await Promise.all([admin.end(), app.end()]);
      await database.stop();
      if (given === undefined) removeTempHome(home);
    },
  };
}

/** A bench that fails says why. */
function troubleLog(say: (line: string) => void): Log {
  const tell = (fields: object, message: string) => {
    const { err } = fields as { err?: unknown };
    say(`${message}${err instanceof Error ? `: ${err.stack ?? err.message}` : ''}`);
  };
  return { ...silentLog, error: tell };
}

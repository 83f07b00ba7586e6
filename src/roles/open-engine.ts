// From a database to an engine that is ready for work: open (or embed) Postgres, migrate, connect, register the machines.
// Everything that was opened is closed again when a step fails, so that a refused start leaves nothing running.
import { createEngine, type Engine } from '../engine/engine.ts';
import { createEnginePools, type EnginePools } from '../engine/engine-pools.ts';
import type { AnyPipeline } from '../engine/pipeline.ts';
import type { Retention } from '../engine/services/pruner.ts';
import { defaultSettings, type EngineSettings } from '../engine/settings.ts';
import { connectClient, type Queryable } from '../platform/database.ts';
import type { Log } from '../platform/log.ts';
import { type MigrateResult, migrate, requireCurrentSchema } from '../platform/migrate.ts';
import { type DatabaseConfig, type OpenDatabase, openDatabase } from '../platform/open-database.ts';
import { version } from './version.ts';

export interface OpenEngineOptions {
  readonly database: DatabaseConfig;
  /** False: the schema must be current already. */
  readonly migrate: boolean;
  readonly pipelines: readonly AnyPipeline[];
  readonly settings: Partial<EngineSettings>;
  readonly retention?: Partial<Retention>;
  readonly poolSize: number;
  /** Of every connection, beside the engine's own. */
  readonly sessionSettings?: Readonly<Record<string, string>>;
  readonly connectTimeoutMs: number;
  readonly log: Log;
  /** Tables of one's own: runs after the migrations, as the user who migrates. */
  readonly prepare?: ((admin: Queryable) => Promise<void>) | undefined;
}

export interface OpenedEngine {
  readonly database: OpenDatabase;
  readonly migrated: MigrateResult;
  readonly pools: EnginePools;
  readonly engine: Engine;
  /** Ends the connections and gives the embedded database up. The engine must have been stopped. */
  close(): Promise<void>;
}

export async function openEngine(options: OpenEngineOptions): Promise<OpenedEngine> {
  const { log } = options;
  const database = await openDatabase(options.database, log);
  let pools: EnginePools | undefined;
  try {
    const migrated = options.migrate
      ? await migrate({ url: database.adminUrl, appLogin: database.appLogin, log })
      : await checkSchema(database);
    if (options.prepare) await asAdmin(database, options.prepare);
    const settings = { ...defaultSettings, ...options.settings };
    pools = createEnginePools({
      url: database.appUrl,
      controlSize: options.poolSize,
      effectsSize: options.poolSize,
      connectTimeoutMs: options.connectTimeoutMs,
      leaseMs: settings.leaseMs,
      log,
      ...(options.sessionSettings ? { sessionSettings: options.sessionSettings } : {}),
    });
    const engine = createEngine({
      pools,
      pipelines: options.pipelines,
      settings,
      ...(options.retention ? { retention: options.retention } : {}),
      log,
      version,
    });
    await engine.register();
    return { database, migrated, pools, engine, close: () => closeAll(database, pools) };
  } catch (error) {
    await closeAll(database, pools);
    throw error;
  }
}

/** Does something as the user who migrates, on a connection of its own. */
export async function asAdmin<T>(database: OpenDatabase, work: (admin: Queryable) => Promise<T>): Promise<T> {
  const admin = await connectClient({
    url: database.adminUrl,
    applicationName: 'millrace admin',
    connectTimeoutMs: 10_000,
  });
  try {
    return await work(admin);
  } finally {
    await admin.end();
  }
}

function checkSchema(database: OpenDatabase): Promise<MigrateResult> {
  return asAdmin(database, async (admin) => {
    await requireCurrentSchema(admin);
    return { applied: [], version: 'current' };
  });
}

async function closeAll(database: OpenDatabase, pools: EnginePools | undefined): Promise<void> {
  await pools?.close();
  await database.stop();
}

// Turns a database into an engine that is ready for work: opens (or embeds) Postgres, migrates, connects, registers the machines.
// When a step fails, it closes everything it opened, so that a refused start leaves nothing running.

import { MillraceError } from '../contract/errors/millrace-error.ts';
import { createEngine, type Engine } from '../engine/engine.ts';
import { createEnginePools, type EnginePools } from '../engine/engine-pools.ts';
import type { AnyPipeline } from '../engine/pipeline.ts';
import type { Retention } from '../engine/services/pruner.ts';
import { defaultSettings, type EngineSettings } from '../engine/settings.ts';
import { connectClient, describeTarget, type Pooler, type Queryable, requireRole } from '../platform/database.ts';
import type { Log } from '../platform/log.ts';
import { type MigrateOptions, type MigrateResult, migrate, requireCurrentSchema } from '../platform/migrate.ts';
import { type DatabaseConfig, type OpenDatabase, openDatabase } from '../platform/open-database.ts';
import { type Preparation, prepareTables } from './prepare-tables.ts';
import { version } from './version.ts';

export const ENGINE_ROLE = 'millrace_engine';
const RUNS_PER_CONNECTION = 4;
const MAX_CONTROL = 5;
/** With one for questions about silent transactions: eight. */
const POOLED_CONTROL = 3;
const POOLED_EFFECTS = 4;

export type KitSchema = Pick<MigrateOptions, 'roles' | 'own' | 'logins'>;

export interface OpenEngineOptions {
  readonly database: DatabaseConfig;
  /** False: the schema must be current already. */
  readonly migrate: boolean;
  readonly pipelines: readonly AnyPipeline[];
  /** Database roles and migrations of the pipelines. */
  readonly schema?: KitSchema;
  readonly settings: Partial<EngineSettings>;
  readonly retention?: Partial<Retention>;
  readonly poolSize: number;
  /** Of every connection, beside the engine's own. */
  readonly sessionSettings?: Readonly<Record<string, string>>;
  readonly connectTimeoutMs: number;
  readonly log: Log;
  /** Tables of one's own: run after the migrations, as the user who migrates. */
  readonly preparations?: readonly Preparation[];
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
      ? await migrate({ ...options.schema, url: database.adminUrl, appLogin: database.appLogin, log })
      : await checkSchema(database, options.schema);
    await prepareTables(options.preparations ?? [], { url: database.adminUrl, log });
    const settings = { ...defaultSettings, ...options.settings };
    const sizes = poolSizes(database.pooler, options.poolSize);
    requireConnections(settings.concurrency, sizes.effectsSize, { ...options, pooler: database.pooler });
    pools = createEnginePools({
      url: database.appUrl,
      directUrl: database.directUrl,
      pooler: database.pooler,
      ...sizes,
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
    await requireRole(pools.control, ENGINE_ROLE, describeTarget(database.appUrl));
    await engine.register();
    return { database, migrated, pools, engine, close: () => closeAll(database, pools) };
  } catch (error) {
    await closeAll(database, pools);
    throw error;
  }
}

/** Claims, ends and services take turns in few connections. Behind a pooler the third part of its eight is for questions. */
function poolSizes(pooler: Pooler, poolSize: number): { controlSize: number; effectsSize: number } {
  if (pooler === 'none') return { controlSize: Math.min(poolSize, MAX_CONTROL), effectsSize: poolSize };
  return { controlSize: Math.min(poolSize, POOLED_CONTROL), effectsSize: Math.min(poolSize, POOLED_EFFECTS) };
}

/** Runs wait for a connection at no cost, but not for longer than they work. */
function requireConnections(
  concurrency: number,
  connections: number,
  { poolSize, pooler }: { readonly poolSize: number; readonly pooler: Pooler },
): void {
  if (concurrency <= connections * RUNS_PER_CONNECTION) return;
  throw new MillraceError('connections_too_few', {
    concurrency,
    connections,
    poolSize,
    pooler,
    least: Math.ceil(concurrency / RUNS_PER_CONNECTION),
    most: connections * RUNS_PER_CONNECTION,
  });
}

/** Does something as the user who migrates, on a connection of its own. */
async function asAdmin<T>(database: OpenDatabase, work: (admin: Queryable) => Promise<T>): Promise<T> {
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

function checkSchema(database: OpenDatabase, schema: KitSchema | undefined): Promise<MigrateResult> {
  return asAdmin(database, async (admin) => {
    await requireCurrentSchema(admin, schema);
    return { applied: [], version: 'current' };
  });
}

async function closeAll(database: OpenDatabase, pools: EnginePools | undefined): Promise<void> {
  await pools?.close();
  await database.stop();
}

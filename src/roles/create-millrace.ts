// Millrace as a library: `createMillrace` opens (or embeds) Postgres, brings its schema up to date, registers the pipelines
// it is given and returns everything a program needs to submit work, to run it, and to look after it.
//
// Execution is at least once; effects are applied once, because a stage can only write through `commit`. What `enqueue`
// has acknowledged reaches exactly one terminal state, whatever is killed.
import { registerErrors } from '../contract/errors/catalogue.ts';
import type { EngineRoles } from '../engine/background.ts';
import type { ConsumerOptions } from '../engine/consumer.ts';
import type { Engine } from '../engine/engine.ts';
import type { Enqueued, EnqueueRequest } from '../engine/enqueue.ts';
import type { AnyPipeline } from '../engine/pipeline.ts';
import type { ScheduleRequest } from '../engine/schedules.ts';
import type { EngineSettings } from '../engine/settings.ts';
import type { ScheduleRow } from '../engine/sql/schedules.ts';
import type { PipelineKit } from '../pipelines/kit.ts';
import { blobSettings, openBlobStore } from '../platform/blob/open-blob-store.ts';
import { loadConfig } from '../platform/config.ts';
import { enterTenant, type Pooler, type Queryable, withTransaction } from '../platform/database.ts';
import { type Log, silentLog } from '../platform/log.ts';
import { openSecretBox } from '../platform/secret-box.ts';
import { openKits } from './kits.ts';
import { openEngine } from './open-engine.ts';
import { prepareHome } from './prepare-home.ts';
import { createRunService, type RunService } from './run-service.ts';
import { swapRole } from './sql/swap-role.ts';

export interface MillraceOptions {
  /** Connection string of the application's login. Left out: an embedded Postgres under `home`. */
  readonly databaseUrl?: string;
  /** Connection string of a user who may migrate, when the application's login may not. */
  readonly migrationUrl?: string;
  /** What `databaseUrl` names: the server itself, or a pooler in transaction mode. Default: none */
  readonly pooler?: Pooler;
  /** Connection string of the same login past the pooler, for wake-ups and heartbeats. */
  readonly directUrl?: string;
  /** The folder of this installation. Default: ./.millrace */
  readonly home?: string;
  readonly pipelines?: readonly AnyPipeline[];
  /** Pipelines with all they bring: those of Millrace itself (`kits`), or made with defineKit. Their settings are read from the environment. */
  readonly kits?: readonly PipelineKit[];
  readonly settings?: Partial<EngineSettings>;
  /** Connections of each pool. Default: 10 */
  readonly poolSize?: number;
  /** Default: silence. Any pino logger fits. */
  readonly log?: Log;
  /** Makes the tables of your stages: runs at every start, after Millrace's own migrations, as the user who migrates. */
  readonly prepare?: (admin: Queryable) => Promise<void>;
}

export interface TransactionSession {
  /** The database role of the transaction. Default: millrace_app, as for stages. */
  readonly role?: string;
  /** The tenant whose rows it sees. Default: none. */
  readonly tenantId?: string;
}

export interface Millrace {
  readonly runs: RunService;
  /** For the pipelines' own tools, such as JobDispatcher and runWorkerCycle. */
  readonly engine: Engine;
  /** Accepts one run. When it has answered, the run is on disk. */
  enqueue(request: EnqueueRequest): Promise<Enqueued>;
  /** Up to 10,000 runs in one statement: all of them or none. */
  enqueueMany(requests: readonly EnqueueRequest[]): Promise<Enqueued[]>;
  /** Accepts runs in a transaction of your own, on any connection whose login may become millrace_engine. */
  enqueueIn(tx: Queryable, requests: readonly EnqueueRequest[]): Promise<Enqueued[]>;
  /** A transaction in which your rows and `enqueueIn` stand or fall together. Workers are woken after its commit. */
  transaction<T>(work: (tx: Queryable) => Promise<T>, session?: TransactionSession): Promise<T>;
  /** Nothing of a pipeline (or of one lane of it) is claimed until `unpause`. What runs, finishes. */
  pause(pipeline: string, options?: { by?: string; lane?: string }): Promise<void>;
  unpause(pipeline: string, options?: { lane?: string }): Promise<boolean>;
  readonly schedules: {
    save(request: ScheduleRequest): Promise<ScheduleRow>;
    list(tenantId: string): Promise<ScheduleRow[]>;
    remove(tenantId: string, name: string): Promise<boolean>;
  };
  /** Reads the outbox: each event is applied once, in order, in the transaction that also moves the offset. Before `start`. */
  consume(consumer: Pick<ConsumerOptions, 'name' | 'apply'>): void;
  /** Called whenever new events may be there to read. Returns how to stop listening. */
  onEvents(listener: () => void): () => void;
  /** Works on runs and looks after them, in this process. */
  start(roles?: EngineRoles): Promise<void>;
  /** Drains, then closes everything; an embedded database stops with its last user. */
  stop(): Promise<void>;
}

const DEFAULT_HOME = './.millrace';
const DEFAULT_POOL = 10;
const CONNECT_TIMEOUT_MS = 10_000;
const ENGINE_ROLE = 'millrace_engine';
const APP_ROLE = 'millrace_app';
const LIBRARY = 'library';

export async function createMillrace(options: MillraceOptions): Promise<Millrace> {
  const log = options.log ?? silentLog;
  const kits = await openOwnKits(options, log);
  const opened = await openEngine({
    database: {
      databaseUrl: options.databaseUrl,
      databaseMigrationUrl: options.migrationUrl,
      databaseDirectUrl: options.directUrl,
      databasePooler: options.pooler,
      home: options.home ?? DEFAULT_HOME,
    },
    migrate: true,
    pipelines: [...(options.pipelines ?? []), ...kits.pipelines],
    schema: kits.schema,
    settings: options.settings ?? {},
    poolSize: options.poolSize ?? DEFAULT_POOL,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    log,
    preparations: [
      ...kits.preparations,
      ...(options.prepare ? [{ name: 'this program', prepare: options.prepare }] : []),
    ],
  });
  const { engine, pools } = opened;
  const atWork = kits.withEngine(engine);
  for (const { consumers } of atWork) for (const consumer of consumers) engine.consume(consumer);
  // Neither worker nor services yet: only the ear for wake-ups, so that waiting for a run is quick.
  await engine.start({});
  let stopped: Promise<void> | undefined;

  return {
    runs: createRunService(engine, LIBRARY),
    engine,
    enqueue: engine.enqueue,
    enqueueMany: engine.enqueueMany,
    enqueueIn: (tx, requests) => enqueueInCallers(engine, tx, requests),
    async transaction(work, { role = APP_ROLE, tenantId = '' } = {}) {
      const result = await withTransaction(pools.effects, async (tx) => {
        await enterTenant(tx, { role, tenantId });
        return work(tx);
      });
      engine.wake();
      return result;
    },
    async pause(pipeline, { by = LIBRARY, lane } = {}) {
      await engine.pause(pipeline, by, lane);
    },
    unpause: (pipeline, { lane } = {}) => engine.unpause(pipeline, lane),
    schedules: { save: engine.saveSchedule, list: engine.listSchedules, remove: engine.deleteSchedule },
    consume: engine.consume,
    onEvents: engine.onEvents,
    start: (roles) => engine.start(roles),
    stop() {
      stopped ??= engine
        .stop()
        .then(() => opened.close())
        .then(() => kits.close());
      return stopped;
    },
  };
}

/** Only where there are kits is there anything to open for them. */
async function openOwnKits({ kits = [], home = DEFAULT_HOME }: MillraceOptions, log: Log) {
  if (kits.length === 0) return { pipelines: [], schema: {}, preparations: [], withEngine: () => [], async close() {} };
  const config = loadConfig({ ...process.env, MILLRACE_HOME: home });
  for (const { name, errors = {} } of kits) registerErrors(name, errors);
  prepareHome(home);
  const blobs = await openBlobStore(blobSettings(config));
  const secrets = await openSecretBox({ secretKey: config.connectorSecretKey, home });
  return { ...(await openKits(kits, { config, blobs, secrets, log })), close: () => blobs.close() };
}

/** The caller's role may not write the ledger; the engine's may. The role is changed for this statement and put back. */
async function enqueueInCallers(
  engine: Engine,
  tx: Queryable,
  requests: readonly EnqueueRequest[],
): Promise<Enqueued[]> {
  const role = await swapRole(tx, ENGINE_ROLE);
  try {
    return await engine.enqueueIn(tx, requests);
  } finally {
    // Also after a refusal, which the caller may catch. A transaction that failed in the database takes nothing more, and its rollback puts the role back.
    await swapRole(tx, role).catch(() => {});
  }
}

// The engine's connections: one pool for its own short statements, one for effects, and single connections for the
// heartbeat and for LISTEN, so that no load can starve them.
import type pg from 'pg';
import { connectClient, createPool, type Pool } from '../platform/database.ts';
import type { Log } from '../platform/log.ts';

export interface EnginePools {
  /** Claims, ends, enqueues, services. */
  readonly control: Pool;
  /** Effects of stages. The server ends a transaction that idles for half a lease: a frozen worker cannot hold a run. */
  readonly effects: Pool;
  /** A connection of one's own. */
  readonly connect: () => Promise<pg.Client>;
  close(): Promise<void>;
}

export interface EnginePoolOptions {
  readonly url: string;
  readonly controlSize: number;
  readonly effectsSize: number;
  readonly connectTimeoutMs: number;
  readonly leaseMs: number;
  readonly log: Log;
  /** Of every connection, e.g. thresholds that views read. */
  readonly sessionSettings?: Readonly<Record<string, string>>;
}

const ENGINE_ROLE = 'millrace_engine';

// The engine's statements touch few rows by key, whatever the tables' size or the age of their statistics: a plan that reads
// the whole ledger is always the wrong bet. Generic plans save planning time.
const shortStatements = { jit: 'off', enable_seqscan: 'off', plan_cache_mode: 'force_generic_plan' };

export function createEnginePools(options: EnginePoolOptions): EnginePools {
  const shared = {
    url: options.url,
    role: ENGINE_ROLE,
    connectTimeoutMs: options.connectTimeoutMs,
    sessionSettings: options.sessionSettings ?? {},
    onIdleError: (error: unknown) => options.log.warn({ err: error }, 'an idle database connection broke'),
  };
  const control = createPool({
    ...shared,
    max: options.controlSize,
    applicationName: 'millrace engine',
    sessionSettings: { ...shared.sessionSettings, ...shortStatements },
    idleInTransactionTimeoutMs: Math.ceil(options.leaseMs / 2),
  });
  const effects = createPool({
    ...shared,
    max: options.effectsSize,
    applicationName: 'millrace effects',
    idleInTransactionTimeoutMs: Math.ceil(options.leaseMs / 2),
  });
  return {
    control,
    effects,
    connect: () => connectClient({ ...shared, applicationName: 'millrace engine' }),
    async close() {
      await Promise.all([control.end(), effects.end()]);
    },
  };
}

// The engine's connections: one pool for its own short statements, one for effects, and single connections for the
// heartbeat and for LISTEN, so that no load can starve them.
//
// Every statement has a limit on this side too: a connection that hears nothing for that long counts as lost, and so do those
// beside it that wait for work. Effects may take long; a silent effects transaction is asked about after half a lease, over
// another connection: by then the server has ended one that only waits for us.
import type pg from 'pg';
import { connectClient, createPool, type Pool, type Pooler } from '../platform/database.ts';
import type { Log } from '../platform/log.ts';
import { shortStatements, throughIndexes } from '../platform/planner-settings.ts';

export interface EnginePools {
  /** Claims, ends, enqueues, services. */
  readonly control: Pool;
  /** Effects of stages. The server ends a transaction that idles for half a lease: a frozen worker cannot hold a run. */
  readonly effects: Pool;
  /** A connection of one's own, whose statements are answered within the given time or count as lost. */
  readonly connect: (answerWithinMs?: number) => Promise<pg.Client>;
  close(): Promise<void>;
}

export interface EnginePoolOptions {
  readonly url: string;
  /** The server itself, where `url` names a pooler: for LISTEN and heartbeats. */
  readonly directUrl?: string | undefined;
  readonly pooler?: Pooler | undefined;
  readonly controlSize: number;
  readonly effectsSize: number;
  readonly connectTimeoutMs: number;
  readonly leaseMs: number;
  readonly log: Log;
  /** Of every connection, e.g. thresholds that views read. */
  readonly sessionSettings?: Readonly<Record<string, string>>;
}

const ENGINE_ROLE = 'millrace_engine';
/** The shortest lease that a setting allows: no statement needs to be quicker than this, however short the leases of a test. */
const LEAST_LIMIT_MS = 1_000;
const ANSWER_MARGIN_MS = 500;
/** Asking about a transaction is one look-up by key. */
const QUESTION_MS = 4_000;
/** A statement over thousands of runs may take longer than a short lease. */
export const BULK_LIMIT_MS = 30_000;
/** For what is done over the effects pool beside stages, which have limits of their own: recounts, consumers, cleaning. */
const EFFECTS_LIMIT_MS = 600_000;
/** Somebody waits for the answer to a small enqueue, and the ids tell what became of it: no reason to wait for a lease. */
export const ENQUEUE_LIMIT_MS = 10_000;

/** How long the engine's statements may hear nothing: a lease, since by then others take the runs over. */
export function answerLimitMs(leaseMs: number): number {
  return Math.max(leaseMs, LEAST_LIMIT_MS);
}

export function createEnginePools(options: EnginePoolOptions): EnginePools {
  const shared = {
    url: options.url,
    role: ENGINE_ROLE,
    connectTimeoutMs: options.connectTimeoutMs,
    sessionSettings: options.sessionSettings ?? {},
    pooler: options.pooler ?? 'none',
    onIdleError: (error: unknown) => options.log.warn({ err: error }, 'an idle database connection broke'),
  };
  const limitMs = answerLimitMs(options.leaseMs);
  const halfLeaseMs = Math.ceil(options.leaseMs / 2);
  const control = createPool({
    ...shared,
    max: options.controlSize,
    applicationName: 'millrace engine',
    sessionSettings: { ...shared.sessionSettings, ...shortStatements },
    idleInTransactionTimeoutMs: halfLeaseMs,
    // With a lease of 30 s or more the server gives up first, so that as a rule its answer says why.
    statementTimeoutMs: Math.max(options.leaseMs, BULK_LIMIT_MS),
    answerWithinMs: limitMs + ANSWER_MARGIN_MS,
  });
  // Opened when a question comes up and closed soon after: nothing that is silent can stand in its way.
  const questions = createPool({
    ...shared,
    max: 1,
    applicationName: 'millrace engine',
    waitMs: Number.POSITIVE_INFINITY,
    answerWithinMs: Math.min(halfLeaseMs, QUESTION_MS),
  });
  const effects = createPool({
    ...shared,
    max: options.effectsSize,
    applicationName: 'millrace effects',
    sessionSettings: { ...shared.sessionSettings, ...throughIndexes },
    idleInTransactionTimeoutMs: halfLeaseMs,
    statementTimeoutMs: EFFECTS_LIMIT_MS,
    // More stages at work than connections wait in turn; that is nobody's failure.
    waitMs: Number.POSITIVE_INFINITY,
    ask: { afterMs: halfLeaseMs + ANSWER_MARGIN_MS, via: questions },
  });
  return {
    control,
    effects,
    connect: (answerWithinMs = limitMs) =>
      connectClient({
        ...shared,
        url: options.directUrl ?? options.url,
        pooler: 'none',
        applicationName: 'millrace engine',
        // Who listens and who beats is idle by nature; a pool opens another connection when it needs one.
        sessionSettings: { ...shared.sessionSettings, ...throughIndexes, idle_session_timeout: '0' },
        answerWithinMs,
      }),
    async close() {
      await Promise.all([control.end(), effects.end(), questions.end()]);
    },
  };
}

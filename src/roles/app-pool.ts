// The connections of the API: as millrace_app, with the limits of a request.
import type { Config } from '../platform/config.ts';
import { createPool, type Pool } from '../platform/database.ts';
import type { Log } from '../platform/log.ts';
import type { OpenDatabase } from '../platform/open-database.ts';
import { throughIndexes } from '../platform/planner-settings.ts';

const ANSWER_MARGIN_MS = 2_000;
/** A process that is frozen within a transaction keeps its locks no longer than this; an export to a slow reader may pause for as long. */
const IDLE_IN_TRANSACTION_MS = 300_000;
/** Server connections that the requests of one process may take from a pooler. */
const POOLED_MAX = 8;

export function createAppPool(config: Config, database: OpenDatabase, log: Log): Pool {
  return createPool({
    url: database.appUrl,
    pooler: database.pooler,
    role: 'millrace_app',
    max: database.pooler === 'none' ? config.databasePoolSize : Math.min(config.databasePoolSize, POOLED_MAX),
    applicationName: 'millrace api',
    connectTimeoutMs: config.databaseConnectTimeoutMs,
    statementTimeoutMs: config.databaseStatementTimeoutMs,
    idleInTransactionTimeoutMs: IDLE_IN_TRANSACTION_MS,
    // The server gives up first, so that as a rule its answer says why.
    answerWithinMs: config.databaseStatementTimeoutMs + ANSWER_MARGIN_MS,
    sessionSettings: { ...throughIndexes, 'millrace.processing_timeout_hours': String(config.processingTimeoutHours) },
    onIdleError: (error) => log.warn({ err: error }, 'an idle database connection broke'),
  });
}

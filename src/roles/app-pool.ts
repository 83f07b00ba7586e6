// The connections of the front door: as millrace_app, with the limits of a request.
import type { Config } from '../platform/config.ts';
import { createPool, type Pool } from '../platform/database.ts';
import type { RoleProcess } from './role-process.ts';

export function createAppPool(config: Config, url: string, log: RoleProcess['log']): Pool {
  return createPool({
    url,
    role: 'millrace_app',
    max: config.databasePoolSize,
    applicationName: 'millrace api',
    connectTimeoutMs: config.databaseConnectTimeoutMs,
    statementTimeoutMs: config.databaseStatementTimeoutMs,
    sessionSettings: { 'millrace.processing_timeout_hours': String(config.processingTimeoutHours) },
    onIdleError: (error) => log.warn({ err: error }, 'an idle database connection broke'),
  });
}

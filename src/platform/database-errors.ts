// Translates errors of the database into ours, by one table of SQLSTATEs. An error that is not in the table stays as it is, because
// only the caller knows what, for example, a unique violation (23505) means. Connection errors without a SQLSTATE come
// from the socket (ECONNREFUSED …) or from the driver (plain sentences), so they have two small tables of their own.
import type { ErrorCode } from '../contract/errors/catalogue.ts';
import { MillraceError } from '../contract/errors/millrace-error.ts';

/** SQLSTATE, or its two-character class, to our code. The longer match wins. */
const sqlStates: Readonly<Record<string, ErrorCode>> = {
  '08': 'database_lost',
  '57P01': 'database_lost', // admin_shutdown: terminated or fast shutdown
  '57P02': 'database_lost', // crash_shutdown
  '57P03': 'database_lost', // cannot_connect_now: starting up or shutting down
  '57P05': 'database_lost', // idle_session_timeout
  '25P03': 'database_lost', // idle_in_transaction_session_timeout: the server rolled us back
  '25P04': 'statement_cancelled', // transaction_timeout: the server rolled us back and ended the connection
  '25006': 'database_lost', // read-only: we reached a standby during a failover
  '40': 'transaction_conflict', // serialization_failure, deadlock_detected, rollback
  '55P03': 'transaction_conflict', // lock_not_available: lock_timeout or nowait
  '57014': 'statement_cancelled', // statement_timeout or a cancel request
  '53300': 'database_busy', // too_many_connections
  '53200': 'database_busy', // out_of_memory
  '53400': 'database_busy', // configuration_limit_exceeded
  '53100': 'disk_full',
  '58030': 'database_lost', // io_error
  '28': 'database_refused',
  '3D000': 'database_refused', // no such database
  '22023': 'database_refused', // only while connecting: role named in the options does not exist
  MR002: 'process_outdated', // raised by a trigger of our own
  '55000': 'database_unreachable', // only while connecting: the database takes no connections at the moment
};

/** Elsewhere these mean something to the caller alone. */
const onlyWhileConnecting = new Set(['22023', '55000']);

const socketErrors: Readonly<Record<string, ErrorCode>> = {
  ECONNREFUSED: 'database_unreachable',
  ENOTFOUND: 'database_unreachable',
  EAI_AGAIN: 'database_unreachable',
  EHOSTUNREACH: 'database_unreachable',
  ENETUNREACH: 'database_unreachable',
  ETIMEDOUT: 'database_unreachable',
  ENOENT: 'database_unreachable', // unix socket that is not there
  ECONNRESET: 'database_lost',
  EPIPE: 'database_lost',
};

/** What poolers say with a SQLSTATE that means something else. */
const poolerSentences: readonly (readonly [string, ErrorCode])[] = [
  ['unsupported startup parameter', 'pooler_undeclared'],
  ['query_wait_timeout', 'database_busy'],
  ['no more connections allowed', 'database_busy'],
  ['server conn crashed', 'database_lost'],
  ['server login has been failing', 'database_unreachable'],
  ['the database system is', 'database_lost'],
];

/** What `pg` and `pg-pool` say in plain sentences. The first that fits. */
const driverSentences: readonly (readonly [string, ErrorCode])[] = [
  ['timeout exceeded when trying to connect', 'pool_exhausted'],
  ['Connection terminated due to connection timeout', 'database_unreachable'],
  ['timeout expired', 'database_unreachable'],
  ['no answer from the database', 'database_lost'],
  ['Connection terminated', 'database_lost'],
  ['is not queryable', 'database_lost'],
  ['Query read timeout', 'database_lost'],
];

export interface DatabaseErrorContext {
  /** Host and database, without user and password. */
  readonly target?: string;
  /** How long the caller was ready to wait for a connection. */
  readonly waitedMs?: number;
  /** The error came while connecting, not from a statement. */
  readonly connecting?: boolean;
}

/** Our error for a foreign database error, or the very same value when the table does not know it. */
export function translateDatabaseError(error: unknown, context: DatabaseErrorContext = {}): unknown {
  if (!(error instanceof Error) || error instanceof MillraceError) return error;
  const code = ourCode(error, context.connecting ?? false);
  if (code === undefined) return error;
  const target = context.target ?? 'the configured address';
  const seconds = Math.round((context.waitedMs ?? 0) / 100) / 10;
  return new MillraceError(code, { target, seconds, reason: firstLine(error) }, { cause: error });
}

/** The SQLSTATE of an error that came from the server, also through our own wrapping. */
export function sqlStateOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && 'severity' in error) return code;
  return error instanceof MillraceError ? sqlStateOf(cause) : undefined;
}

function ourCode(error: Error, connecting: boolean): ErrorCode | undefined {
  const state = sqlStateOf(error);
  if (state !== undefined) {
    const said = state.startsWith('08') && poolerSentences.find(([sentence]) => error.message.includes(sentence));
    if (said) return said[1];
    if (onlyWhileConnecting.has(state) && !connecting) return undefined;
    return sqlStates[state] ?? sqlStates[state.slice(0, 2)];
  }
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code !== undefined && (syscall === undefined || isSocketCall(syscall))) return socketErrors[code];
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return ourCode(error.errors[0], connecting);
  return driverSentences.find(([sentence]) => error.message.includes(sentence))?.[1];
}

function isSocketCall(syscall: string): boolean {
  return ['connect', 'read', 'write', 'getaddrinfo'].includes(syscall);
}

function firstLine(error: Error): string {
  const { errors } = error as { errors?: unknown[] };
  const inner = Array.isArray(errors) && errors[0] instanceof Error ? errors[0] : error;
  return (inner.message.split('\n')[0] ?? '').replace(/\.$/, '') || inner.name;
}

/** A statement was stopped by its own time limit, which in effects lies below the stall limit: half as much may do. */
export function isTooLong(error: unknown): boolean {
  return error instanceof MillraceError && error.code === 'statement_cancelled';
}

/** Which key is taken only the caller knows. */
export function isUniqueViolation(error: unknown): boolean {
  return sqlStateOf(error) === '23505';
}

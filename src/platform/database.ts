// Pools, transactions and the tenant's session. Owns how a connection is opened: as which role, with which limits, and how
// values come back. Promises that a failed transaction never returns an unclean connection to the pool.
//
// Values: int8 is a number while it is exact (|n| ≤ 2^53−1) and a bigint beyond, which JSON refuses loudly instead of rounding
// silently; numeric stays text; timestamptz is a Date (milliseconds: select it ::text where microseconds matter); date is text.
//
// Role, limits and settings are startup options of the connection, so that `reset role` and `discard all` come back to them.
// Behind a pooler in transaction mode each transaction sets them instead (unit-query.ts).
import pg from 'pg';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import { translateDatabaseError } from './database-errors.ts';
import { GuardedClient, type GuardOptions } from './guarded-client.ts';

export type Pool = pg.Pool;
export type PoolClient = pg.PoolClient;

/** What an SQL function needs: a pool, a client of it, or a bare client. */
export interface Queryable {
  query: pg.ClientBase['query'];
}

export interface PoolOptions {
  readonly url: string;
  /** The role every connection runs as; left out, the login itself. */
  readonly role?: string;
  readonly max: number;
  readonly applicationName: string;
  /** How long opening a connection may take before `database_unreachable`. */
  readonly connectTimeoutMs: number;
  /**
   * How long to wait for a connection that others use before `pool_exhausted`. Left out: as long as opening one. Infinity: in
   * turn, until there is one.
   */
  readonly waitMs?: number;
  readonly statementTimeoutMs?: number;
  /** How long a statement may hear nothing from the server before its connection counts as lost. Left out: ten minutes. */
  readonly answerWithinMs?: number;
  /** After this much silence the server is asked, over another pool, whether it still works on a transaction. */
  readonly ask?: { readonly afterMs: number; readonly via: Pool };
  readonly idleInTransactionTimeoutMs?: number;
  /** Further server settings of every connection, e.g. planner switches for a pool of short statements. */
  readonly sessionSettings?: Readonly<Record<string, string>>;
  /** Sends queued statements without waiting for each answer. Not for clients that use cursors or COPY. */
  readonly pipeline?: boolean;
  /** What stands between us and the server. Left out: nothing. */
  readonly pooler?: Pooler;
  /** Told about errors of idle connections, which have no caller. */
  readonly onIdleError?: (error: unknown) => void;
}

/** `transaction`: server connections are lent for one transaction at a time. */
export type Pooler = 'none' | 'transaction';

export interface TransactionOptions {
  readonly isolation?: 'read committed' | 'repeatable read' | 'serializable';
  readonly readOnly?: boolean;
  /** Its id once it is known, to ask about when the connection is silent for long. Left out: it is asked for when it matters. */
  readonly xid?: () => string | undefined;
}

export interface TenantSession {
  readonly tenantId: string;
  readonly role: string;
  /** Of the server, for this transaction. */
  readonly settings?: Readonly<Record<string, string>>;
}

const int8Array = 1016;
const textArray = 1009 as typeof pg.types.builtins.INT8;

const typeParsers = new Map<number, (text: string) => unknown>([
  [pg.types.builtins.INT8, parseInt8],
  [int8Array, parseInt8Array],
  [pg.types.builtins.DATE, (text) => text],
]);

const types: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    return (format === 'binary' ? undefined : typeParsers.get(oid)) ?? pg.types.getTypeParser(oid, format as 'text');
  },
};

/** Probes of the kernel begin after this long without traffic. */
const KEEP_ALIVE_MS = 10_000;
const DEFAULT_ANSWER_MS = 600_000;

const asking = new WeakMap<pg.Pool, NonNullable<PoolOptions['ask']>>();

export function createPool(options: PoolOptions): pg.Pool {
  const waitMs = options.waitMs ?? options.connectTimeoutMs;
  const pool = new pg.Pool({
    ...clientConfig(options, () => dropIdle(pool)),
    Client: GuardedClient as unknown as new () => pg.ClientBase,
    max: options.max,
    idleTimeoutMillis: 30_000,
    ...(Number.isFinite(waitMs) ? { connectionTimeoutMillis: waitMs } : {}),
  });
  if (options.ask !== undefined) asking.set(pool, options.ask);
  // Without a listener a server restart would end the process: pg-pool reports idle connections that break.
  pool.on('error', (error) => {
    // A pool that is being closed has nobody left to tell.
    if (!pool.ending) options.onIdleError?.(translateDatabaseError(error));
  });
  // One packet may carry "ready" and "terminated": the pool has handed the connection out and nobody listens to it yet.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** Where one connection has gone silent, those that wait for work have too: each would cost its next user the whole limit. */
function dropIdle(pool: pg.Pool): void {
  for (let count = pool.idleCount; count > 0 && !pool.ending; count -= 1)
    pool.connect().then(
      (client) => client.release(true),
      () => {},
    );
}

/** One connection outside any pool, for LISTEN, heartbeats and tools. The caller ends it. */
export async function connectClient(options: Omit<PoolOptions, 'max' | 'waitMs' | 'ask'>): Promise<pg.Client> {
  const client = new GuardedClient(clientConfig(options));
  client.on('error', (error) => options.onIdleError?.(translateDatabaseError(error)));
  try {
    await client.connect();
  } catch (error) {
    await client.end().catch(() => {});
    throw translateDatabaseError(error, connecting(options.url, options.connectTimeoutMs));
  }
  return client;
}

function clientConfig(options: Omit<PoolOptions, 'max'>, onSilent?: () => void) {
  const { answerWithinMs = DEFAULT_ANSWER_MS, connectTimeoutMs } = options;
  const isPooled = options.pooler === 'transaction';
  return {
    connectionString: options.url,
    // A pooler sets the name again whenever it lends a connection to somebody who has another one.
    application_name: isPooled ? 'millrace' : options.applicationName,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    ...(isPooled ? {} : { options: startupOptions(options) }),
    types,
    guard: {
      openWithinMs: connectTimeoutMs,
      answerWithinMs,
      onSilent,
      prologue: isPooled ? prologueOf(options) : undefined,
    },
    ...(options.pipeline === undefined ? {} : { pipeline: options.pipeline }),
  };
}

/** A connection of the pool for the time of `fn`. A connection that broke is not given back. */
export async function withClient<T>(pool: pg.Pool, fn: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await take(pool);
  let broken: Error | undefined;
  const onError = (error: Error) => {
    broken = error;
  };
  client.on('error', onError);
  try {
    return await fn(client);
  } catch (error) {
    const ours = translateDatabaseError(error);
    if (isLost(ours)) broken ??= ours;
    throw ours;
  } finally {
    client.off('error', onError);
    client.release(broken);
  }
}

export async function withTransaction<T>(
  pool: pg.Pool,
  fn: (client: pg.PoolClient) => Promise<T>,
  options: TransactionOptions = {},
): Promise<T> {
  const client = await take(pool);
  // A connection that dies between two statements has no caller to tell; the next statement fails by itself, and does not know why.
  let died: Error | undefined;
  const remember = (error: Error) => {
    died ??= error;
  };
  client.on('error', remember);
  // Where silent transactions are asked about, each has an id to ask by: its caller's, or one that it is given here.
  const needsId = options.xid === undefined && asking.has(pool);
  let given: string | undefined;
  watchForSilence(pool, client, needsId ? () => given : options.xid);
  let destroy = false;
  try {
    await client.query(beginStatement(options));
    if (needsId) given = await currentTransactionId(client);
    const result = await fn(client);
    await client.query('commit');
    return result;
  } catch (error) {
    const found = translateDatabaseError(error);
    const why = translateDatabaseError(died);
    const ours = isLost(found) && why instanceof MillraceError ? why : found;
    destroy = !(await rollback(client)) || isLost(ours);
    throw ours;
  } finally {
    client.off('error', remember);
    if (client instanceof GuardedClient) client.silenceRule = undefined;
    client.release(destroy);
  }
}

function watchForSilence(pool: pg.Pool, client: pg.PoolClient, xid: TransactionOptions['xid']): void {
  const ask = asking.get(pool);
  if (!(client instanceof GuardedClient) || xid === undefined || ask === undefined) return;
  const isOpen = async () => {
    const id = xid();
    return id !== undefined && (await isInProgress(ask.via, id));
  };
  client.silenceRule = { askAfterMs: ask.afterMs, isOpen };
}

async function currentTransactionId(client: pg.PoolClient): Promise<string | undefined> {
  const { rows } = await client.query<{ xid: string }>('select pg_current_xact_id()::text as xid');
  return rows[0]?.xid;
}

async function isInProgress(pool: pg.Pool, xid: string): Promise<boolean> {
  const { rows } = await pool.query<{ status: string | null }>('select pg_xact_status($1::xid8) as status', [xid]);
  return rows[0]?.status === 'in progress';
}

/** A transaction that sees one tenant: `role` and the setting every policy reads hold until its end. */
export function withTenant<T>(
  pool: pg.Pool,
  session: TenantSession,
  fn: (client: pg.PoolClient) => Promise<T>,
  options: TransactionOptions = {},
): Promise<T> {
  return withTransaction(
    pool,
    async (client) => {
      await enterTenant(client, session);
      return fn(client);
    },
    options,
  );
}

/** Sets role and tenant for the rest of the open transaction. */
export async function enterTenant(client: Queryable, { role, tenantId, settings }: TenantSession): Promise<void> {
  if (settings === undefined)
    await client.query({
      name: 'enter-tenant',
      text: `select set_config('role', $1, true), set_config('millrace.tenant_id', $2, true)`,
      values: [role, tenantId],
    });
  else
    await client.query({
      name: 'enter-tenant-with-settings',
      text: `
        select set_config('role', $1, true), set_config('millrace.tenant_id', $2, true),
               (select count(set_config(s.name, s.value, true)) from unnest($3::text[], $4::text[]) as s (name, value))`,
      values: [role, tenantId, Object.keys(settings), Object.values(settings)],
    });
}

/** Refuses to work where the role of a pool does not arrive, as behind a pooler that drops startup options. */
export async function requireRole(pool: pg.Pool, wanted: string, target: string): Promise<void> {
  const { rows } = await withClient(pool, (client) => client.query<{ role: string }>('select current_user as role'));
  const found = rows[0]?.role ?? 'nobody';
  if (found !== wanted) throw new MillraceError('role_not_taken', { found, wanted, target });
}

/** Host, port and database of a connection string: what may be shown and logged. */
export function describeTarget(url: string): string {
  try {
    const { hostname, port, pathname, searchParams } = new URL(url);
    return `${hostname || searchParams.get('host') || 'localhost'}:${port || 5432}${pathname}`;
  } catch {
    return 'an address that cannot be read';
  }
}

async function take(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    const { connectionString, connectionTimeoutMillis, guard } = pool.options as pg.PoolOptions & {
      guard: GuardOptions;
    };
    const waitedMs = connectionTimeoutMillis ?? guard.openWithinMs;
    throw translateDatabaseError(error, connecting(connectionString ?? '', waitedMs));
  }
}

function connecting(url: string, waitedMs: number) {
  return { target: describeTarget(url), waitedMs, connecting: true };
}

/** Also of a connection that answers: one to a standby, reached during a failover, would fail everybody who writes for as long as it is used. */
function isLost(error: unknown): error is MillraceError {
  return error instanceof MillraceError && error.code === 'database_lost';
}

async function rollback(client: pg.PoolClient): Promise<boolean> {
  try {
    await client.query('rollback');
    return true;
  } catch {
    return false;
  }
}

function beginStatement({ isolation = ISOLATION, readOnly }: TransactionOptions): string {
  return `begin isolation level ${isolation}${readOnly ? ' read only' : ''}`;
}

type SessionOptions = Pick<
  PoolOptions,
  'role' | 'statementTimeoutMs' | 'idleInTransactionTimeoutMs' | 'sessionSettings'
>;

/** Whatever a database or a login has as its default: a statement that waited for a lock must see what the holder committed. */
const ISOLATION = 'read committed';

/** Name and value of every setting of a connection; the role comes last, it may not be allowed to make the others. */
function settingsOf(options: SessionOptions): [string, string][] {
  const settings: [string, string | number | undefined][] = [
    ['statement_timeout', options.statementTimeoutMs],
    ['idle_in_transaction_session_timeout', options.idleInTransactionTimeoutMs],
    ['timezone', 'UTC'],
    // The driver reads no other way of writing a time: it made null of it.
    ['datestyle', 'ISO'],
    ...Object.entries(options.sessionSettings ?? {}),
    ['role', options.role],
  ];
  return settings.flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
}

function startupOptions(options: SessionOptions): string {
  return [['default_transaction_isolation', ISOLATION] as const, ...settingsOf(options)]
    .map(([name, value]) => `-c ${name}=${escapeOption(value)}`)
    .join(' ');
}

function prologueOf(options: SessionOptions): string {
  const calls = settingsOf(options).map(([name, value]) => `set_config(${literal(name)}, ${literal(value)}, true)`);
  return `select ${calls.join(', ')}`;
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

// Startup options are split at unescaped white space.
function escapeOption(value: string): string {
  return value.replace(/[\\\s]/g, (character) => `\\${character}`);
}

function parseInt8(text: string): number | bigint {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
}

function parseInt8Array(text: string): unknown {
  const parse = pg.types.getTypeParser(textArray) as (text: string) => (string | null)[];
  return parse(text).map((item) => (item === null ? null : parseInt8(item)));
}

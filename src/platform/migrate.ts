// Migrations: the plain SQL files of db/migrations, in the order of their names, each in a transaction of its own, each
// recorded with its checksum. Forward only. Safe when several processes start at once: an advisory lock lets one work and
// the others find nothing left to do. Refuses a database that is ahead of this version or whose history was rewritten.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import { describeTarget, type Queryable } from './database.ts';
import { sqlStateOf } from './database-errors.ts';
import { defaultPatience, type Patience, tryPatiently } from './lock-patience.ts';
import type { Log } from './log.ts';
import { connectForSchema } from './schema-client.ts';

export interface Migration {
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

/** Migrations of a pipeline that does not come with Millrace: recorded as OWNER/NNNN_what.sql, applied after Millrace's own. */
export interface OwnMigrations {
  readonly owner: string;
  readonly folder: string;
}

/** A login of a process that works on one pipeline alone. */
export interface NarrowLogin {
  readonly login: string;
  readonly roles: readonly string[];
}

export interface MigrateOptions {
  /** Connects as a user who may create schemas and roles. */
  readonly url: string;
  /** The login that must be able to become Millrace's roles and those of its pipelines. */
  readonly appLogin?: string;
  /** Database roles of the pipelines. Those that are missing are made first. */
  readonly roles?: readonly string[];
  readonly own?: readonly OwnMigrations[];
  /** Further logins, each with the only roles it may become. */
  readonly logins?: readonly NarrowLogin[];
  readonly folder?: string;
  readonly log?: Log;
  readonly patience?: Partial<Patience>;
}

export interface MigrateResult {
  readonly applied: readonly string[];
  /** The newest migration of the database. */
  readonly version: string;
}

/** db/migrations of the package; src/platform and dist/platform lie at the same depth. */
export const migrationsFolder = fileURLToPath(new URL('../../db/migrations', import.meta.url));

/** Of Millrace itself; made by its migrations. */
const ownRoles = ['millrace_app', 'millrace_engine', 'millrace_operator'];

const fileName = /^\d{4}_[a-z0-9_]+\.sql$/;
const insufficientPrivilege = '42501';
const duplicateObject = '42710';
const uniqueViolation = '23505';
const firstWithSetOption = 160_000;

export async function migrate(options: MigrateOptions): Promise<MigrateResult> {
  const { own = [], roles = [] } = options;
  const ours = readMigrations(options.folder);
  const { client, serverVersion } = await connectForSchema(options.url);
  const patience = { ...defaultPatience, ...options.patience };
  try {
    await createHistory(client);
    await createRoles(client, roles);
    const missing = checkHistory(ours, own, await readHistory(client));
    for (const migration of missing) {
      const startedAt = performance.now();
      await applyPatiently(client, migration, patience, options.log);
      const ms = Math.round(performance.now() - startedAt);
      options.log?.info({ migration: migration.name, ms }, 'migration applied');
    }
    if (options.appLogin !== undefined)
      await grantRoles(client, [...ownRoles, ...roles], options.appLogin, serverVersion);
    for (const narrow of options.logins ?? []) {
      if (await hasRole(client, narrow.login)) await grantRoles(client, narrow.roles, narrow.login, serverVersion);
      else
        options.log?.warn({ login: narrow.login }, 'there is no such login in the database; create it and start again');
    }
    return { applied: missing.map(({ name }) => name), version: ours.at(-1)?.name ?? 'empty' };
  } catch (error) {
    if (sqlStateOf(error) !== insufficientPrivilege) throw error;
    const params = { target: describeTarget(options.url), reason: (error as Error).message };
    throw new MillraceError('migration_forbidden', params, { cause: error });
  } finally {
    await client.end(); // also gives the advisory lock back
  }
}

/** For processes that do not migrate: the schema must be exactly the one this version knows. */
export async function requireCurrentSchema(
  db: Queryable,
  { folder, own = [] }: Pick<MigrateOptions, 'folder' | 'own'> = {},
): Promise<void> {
  const ours = readMigrations(folder);
  const { rows } = await db.query<{ known: boolean }>(`select to_regclass('millrace.migrations') is not null as known`);
  const history = rows[0]?.known ? await readHistory(db) : [];
  const missing = checkHistory(ours, own, history);
  if (missing.length > 0) {
    const found = history.at(-1)?.name ?? 'nothing';
    throw new MillraceError('schema_behind', { found, known: missing.at(-1)?.name ?? 'nothing' });
  }
}

export function readMigrations(folder: string = migrationsFolder): Migration[] {
  return readdirSync(folder)
    .filter((name) => fileName.test(name))
    .sort()
    .map((name) => {
      const sql = readFileSync(path.join(folder, name), 'utf8').replaceAll('\r\n', '\n');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    });
}

function readOwnMigrations({ owner, folder }: OwnMigrations): Migration[] {
  return readMigrations(folder).map((migration) => ({ ...migration, name: `${owner}/${migration.name}` }));
}

async function createHistory(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ known: boolean }>(
    `select to_regclass('millrace.migrations') is not null as known`,
  );
  if (rows[0]?.known) return;
  await client.query(`
    create schema if not exists millrace;
    create table if not exists millrace.migrations (
      name text primary key,
      checksum text not null,
      applied_at timestamptz not null default clock_timestamp()
    );
    comment on table millrace.migrations is 'The migrations applied to this database, with the checksum of each file.';
    grant usage on schema millrace to public;
    grant select on millrace.migrations to public;
  `);
}

interface Applied {
  readonly name: string;
  readonly checksum: string;
}

async function readHistory(db: Queryable): Promise<Applied[]> {
  const { rows } = await db.query<Applied>('select name, checksum from millrace.migrations order by name');
  return rows;
}

/** Pipelines that this process does not know may have migrations of their own in the database; they do not concern it. */
function checkHistory(
  ours: readonly Migration[],
  own: readonly OwnMigrations[],
  history: readonly Applied[],
): Migration[] {
  const migrations = [...ours, ...own.flatMap(readOwnMigrations)];
  const known = new Map(migrations.map((migration) => [migration.name, migration]));
  const owners = new Set(own.map(({ owner }) => owner));
  for (const { name, checksum } of history) {
    const migration = known.get(name);
    const [owner = '', file] = name.split('/');
    if (migration === undefined && file !== undefined && !owners.has(owner)) continue;
    if (migration === undefined)
      throw new MillraceError('schema_newer', { found: name, known: ours.at(-1)?.name ?? 'nothing' });
    if (migration.checksum !== checksum) throw new MillraceError('migration_changed', { name });
  }
  const applied = new Set(history.map(({ name }) => name));
  return migrations.filter(({ name }) => !applied.has(name));
}

function applyPatiently(client: pg.Client, migration: Migration, patience: Patience, log?: Log): Promise<void> {
  const { name } = migration;
  const { tries, lockTimeoutMs } = patience;
  return tryPatiently(patience, {
    attempt: () => applyMigration(client, migration, lockTimeoutMs),
    onWait: (attempt) =>
      log?.warn({ migration: name, attempt }, 'a migration waits for a lock that others hold; it is tried again'),
    gaveUp: (cause) =>
      new MillraceError('migration_blocked', { name, tries, seconds: lockTimeoutMs / 1_000 }, { cause }),
  });
}

async function applyMigration(client: pg.Client, migration: Migration, lockTimeoutMs: number): Promise<void> {
  const { name, sql, checksum } = migration;
  try {
    await client.query(`begin; set local lock_timeout = ${Math.round(lockTimeoutMs)}`);
    await client.query(sql);
    await client.query('insert into millrace.migrations (name, checksum) values ($1, $2)', [name, checksum]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw new MillraceError('migration_failed', { name, reason: explain(error, sql) }, { cause: error });
  }
}

async function hasRole(client: pg.Client, name: string): Promise<boolean> {
  const { rowCount } = await client.query('select from pg_roles where rolname = $1', [name]);
  return rowCount === 1;
}

/** Without login and without rights of their own; what they may is granted by migrations. */
async function createRoles(client: pg.Client, roles: readonly string[]): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    'select name from unnest($1::text[]) as name where not exists (select from pg_roles where rolname = name)',
    [roles],
  );
  for (const { name } of rows)
    await client.query(`create role ${quote(name)} nologin noinherit`).catch((error: unknown) => {
      // Roles belong to the whole server: another database's migration may have made it a moment ago.
      if (![duplicateObject, uniqueViolation].includes(sqlStateOf(error) ?? '')) throw error;
    });
}

// The login may become the roles of Millrace and of its pipelines; roles of other applications are left alone. Membership is for
// `set role` only: the login itself keeps no right of its own. Postgres 15 has no such option; there the login should be "noinherit",
// which is how the embedded server and the documentation create it.
async function grantRoles(
  client: pg.Client,
  roles: readonly string[],
  login: string,
  serverVersion: number,
): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select r.rolname as name
       from pg_roles r
      where r.rolname = any ($2) and not r.rolcanlogin and not r.rolsuper
        and not exists (select from pg_auth_members m join pg_roles l on l.oid = m.member
                         where m.roleid = r.oid and l.rolname = $1
                           and coalesce((to_jsonb(m) ->> 'set_option')::boolean, true))
      order by 1`,
    [login, roles],
  );
  const options = serverVersion >= firstWithSetOption ? 'with inherit false, set true' : '';
  for (const { name } of rows) await client.query(`grant ${quote(name)} to ${quote(login)} ${options}`);
}

function quote(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`;
}

function explain(error: unknown, sql: string): string {
  const { message, position } = error as { message: string; position?: string };
  const line = position === undefined ? undefined : sql.slice(0, Number(position)).split('\n').length;
  return line === undefined ? message : `${message} (line ${line})`;
}

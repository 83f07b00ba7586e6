// A database of its own for each test file: a clone of the migrated template, dropped at the end.
import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { afterAll, beforeAll, inject } from 'vitest';
import { connectClient, createPool, type Queryable } from '../../src/platform/database.ts';
import { keepMoves } from './arrows-taken.ts';

export interface TestDatabase {
  readonly name: string;
  /** Superuser on this database. */
  readonly adminUrl: string;
  /** The application's login: no rights of its own, may become the roles of the migrations. */
  readonly appUrl: string;
  readonly admin: pg.Pool;
  /** Runs as millrace_engine. */
  readonly engine: pg.Pool;
  /** Runs as millrace_app: sees nothing until a tenant is set. */
  readonly app: pg.Pool;
  close(): Promise<void>;
}

/** Clones the template for the test file that calls it and drops the clone afterwards. Use the returned object inside tests. */
export function useDatabase(): TestDatabase {
  let database: TestDatabase | undefined;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(async () => {
    await database?.close();
  });
  const get = () => {
    if (database === undefined) throw new Error('the test database exists only inside tests and hooks');
    return database;
  };
  return {
    get name() {
      return get().name;
    },
    get adminUrl() {
      return get().adminUrl;
    },
    get appUrl() {
      return get().appUrl;
    },
    get admin() {
      return get().admin;
    },
    get engine() {
      return get().engine;
    },
    get app() {
      return get().app;
    },
    close: () => get().close(),
  };
}

async function createTestDatabase(): Promise<TestDatabase> {
  const { template, clone, login, password, moves } = inject('testServer');
  const name = template.replace('template', randomBytes(4).toString('hex'));
  await runOnServer(`create database ${name} ${clone}`);
  const adminUrl = urlOf(name);
  const appUrl = urlOf(name, login, password);
  const pools = new Map<string, pg.Pool>();
  const pool = (key: string, url: string, role?: string) => {
    const existing = pools.get(key);
    if (existing) return existing;
    const made = createPool({
      url,
      max: 10,
      applicationName: `test-${key}`,
      connectTimeoutMs: 120_000,
      ...(role ? { role } : {}),
    });
    pools.set(key, made);
    return made;
  };
  return {
    name,
    adminUrl,
    appUrl,
    get admin() {
      return pool('admin', adminUrl);
    },
    get engine() {
      return pool('engine', appUrl, 'millrace_engine');
    },
    get app() {
      return pool('app', appUrl, 'millrace_app');
    },
    async close() {
      await keepMoves(pool('admin', adminUrl), moves);
      await Promise.all([...pools.values()].map((each) => each.end()));
      await runOnServer(`drop database if exists ${name} with (force)`);
    },
  };
}

/** An empty database without migrations, for tests of the migrator itself. */
export async function createEmptyDatabase(): Promise<{
  url: string;
  appUrl: string;
  login: string;
  close(): Promise<void>;
}> {
  const { template, login, password } = inject('testServer');
  const name = template.replace('template', `empty_${randomBytes(4).toString('hex')}`);
  await runOnServer(`create database ${name}`);
  return {
    url: urlOf(name),
    appUrl: urlOf(name, login, password),
    login,
    close: () => runOnServer(`drop database if exists ${name} with (force)`),
  };
}

/** Moves the engine's clock of this database: `setClockOffset(db.admin, '10 minutes')`; '0' puts it back. */
export async function setClockOffset(admin: Queryable, interval: string): Promise<void> {
  const { rows } = await admin.query<{ attributes: string }>(
    `select case provolatile when 'i' then 'immutable' when 's' then 'stable' else 'volatile' end
         || case proparallel when 's' then ' parallel safe' when 'r' then ' parallel restricted' else '' end as attributes
       from pg_proc where oid = 'engine.now()'::regprocedure`,
  );
  const offset = interval.replaceAll("'", "''");
  await admin.query(
    `create or replace function engine.now() returns timestamptz language sql ${rows[0]?.attributes ?? ''}
     as $$ select clock_timestamp() + interval '${offset}' $$`,
  );
}

function urlOf(database: string, login?: string, password?: string): string {
  const url = new URL(inject('testServer').url);
  url.pathname = `/${database}`;
  if (login !== undefined) url.username = login;
  if (password !== undefined) url.password = password;
  return url.href;
}

async function runOnServer(sql: string): Promise<void> {
  const client = await connectClient({
    url: inject('testServer').url,
    applicationName: 'test-server',
    connectTimeoutMs: 120_000,
  });
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/** Changes what the database guards (an ended run, say), as a restore would: without triggers. For tests of what notices it. */
export async function tamper(admin: pg.Pool, sql: string, values: readonly unknown[] = []): Promise<void> {
  const client = await admin.connect();
  try {
    await client.query('begin');
    await client.query('set local session_replication_role = replica');
    await client.query(sql, [...values]);
    await client.query('commit');
  } finally {
    client.release();
  }
}

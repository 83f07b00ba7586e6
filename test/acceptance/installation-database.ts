// A database of one's own on the server of the test run, as an operator would prepare it: an owner who migrates and a login that
// owns nothing. Migrated already, as a clone of the template of the run, unless the test is about that.
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import type { Environment } from './millrace-process.ts';

export interface InstallationDatabase {
  readonly name: string;
  /** What an installation on it is configured with. */
  readonly env: Environment;
  readonly adminUrl: string;
  readonly appUrl: string;
  query<Row extends pg.QueryResultRow>(sql: string, values?: unknown[]): Promise<Row[]>;
  /** Ends every connection the application has, as a failover would. */
  cutConnections(): Promise<void>;
  /** While shut, nobody can connect. */
  setOpen(open: boolean): Promise<void>;
  drop(): Promise<void>;
}

export const createDatabase = () => create(inject('testServer').clone);

/** As it is before the first start. */
export const createEmptyDatabase = () => create('');

async function create(from: string): Promise<InstallationDatabase> {
  const { url, login, password, template } = inject('testServer');
  const name = template.replace('template', `acceptance_${randomBytes(4).toString('hex')}`);
  const server = new pg.Client({ connectionString: url });
  await server.connect();
  await server.query(`create database ${name} ${from}`);
  const adminUrl = withPath(url, name);
  const appUrl = withPath(url, name, login, password);
  const cutConnections = async () => {
    await server.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and usename = $2', [
      name,
      login,
    ]);
  };
  return {
    name,
    adminUrl,
    appUrl,
    env: { DATABASE_URL: appUrl, DATABASE_MIGRATION_URL: adminUrl },
    async query<Row extends pg.QueryResultRow>(sql: string, values: unknown[] = []) {
      const client = new pg.Client({ connectionString: adminUrl });
      await client.connect();
      try {
        return (await client.query<Row>(sql, values)).rows;
      } finally {
        await client.end();
      }
    },
    cutConnections,
    async setOpen(open) {
      await server.query(`alter database ${name} with allow_connections ${open}`);
      if (!open) await cutConnections();
    },
    async drop() {
      await server.query(`drop database if exists ${name} with (force)`);
      await server.end();
    },
  };
}

function withPath(url: string, database: string, login?: string, password?: string): string {
  const target = new URL(url);
  target.pathname = `/${database}`;
  if (login !== undefined) target.username = login;
  if (password !== undefined) target.password = password;
  return target.href;
}

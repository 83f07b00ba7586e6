// One Postgres for the whole test run: the embedded one in a temporary home, or the server that MILLRACE_TEST_DATABASE_URL
// names (a superuser's connection string). A template database is migrated once; every test file clones it. At the end of the
// whole suite an arrow of a machine that no test took is a failure.

import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { kitRoles } from '../../src/pipelines/all.ts';
import { connectClient } from '../../src/platform/database.ts';
import { startEmbeddedPostgres } from '../../src/platform/embedded-postgres.ts';
import { silentLog } from '../../src/platform/log.ts';
import { migrate } from '../../src/platform/migrate.ts';
import { arrowsNotTaken, moveRecorder } from './arrows-taken.ts';
import { type PgBouncer, sendThrough, startPgBouncer } from './pgbouncer.ts';
import { makeTempHome, removeTempHome } from './temp-home.ts';

export interface TestServer {
  /** Superuser, maintenance database. */
  readonly url: string;
  readonly template: string;
  /** What makes a new database a clone of it: `create database NAME ${clone}`. */
  readonly clone: string;
  readonly login: string;
  readonly password: string;
  /** Where the test databases leave which moves their runs made. */
  readonly moves: string;
}

declare module 'vitest' {
  export interface ProvidedContext {
    testServer: TestServer;
  }
}

/** What must survive a crash is proved on servers of their own (the embedded database's tests, the chaos suites); this one need not. */
const settings = {
  max_connections: '400',
  fsync: 'off',
  full_page_writes: 'off',
  // A client hashes its password as often as the server's copy was hashed, by default 4,096 times: 2 ms for each of thousands of connections.
  scram_iterations: '1',
};

interface Shared {
  readonly testServer: TestServer;
  readonly stop: () => Promise<void>;
}

// Each project loads this file for itself; they share one server, which the last one stops.
const projects = globalThis as { millraceTestServer?: { opened: Promise<Shared>; users: number } };

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  projects.millraceTestServer ??= { opened: open(project), users: 0 };
  const shared = projects.millraceTestServer;
  shared.users += 1;
  const { testServer, stop } = await shared.opened;
  project.provide('testServer', testServer);
  return async () => {
    shared.users -= 1;
    if (shared.users > 0) return;
    delete projects.millraceTestServer;
    await stop();
  };
}

async function open(project: TestProject): Promise<Shared> {
  const server = await openServer();
  const run = randomBytes(4).toString('hex');
  const template = `mt_${run}_template`;
  const testServer = {
    url: server.url,
    template,
    // Where nothing is synced, copied files cost half of what a copy through the log does; elsewhere each of a thousand would be synced.
    clone: `template ${template}${server.shared ? '' : ' strategy file_copy'}`,
    login: `mt_${run}_app`,
    password: randomBytes(12).toString('hex'),
    moves: path.join(tmpdir(), `millrace-moves-${run}.jsonl`),
  };
  try {
    await createTemplate(testServer);
  } catch (error) {
    await server.stop();
    throw error;
  }
  const pooler = await openPooler(testServer);
  const stop = async () => {
    const missed = await arrowsNotTaken(project, testServer.moves);
    if (missed.length > 0) {
      console.error(`No test took these arrows of the machines:\n  ${missed.join('\n  ')}`);
      process.exitCode = 1;
    }
    rmSync(testServer.moves, { force: true });
    await pooler?.stop();
    if (server.shared) await dropEverything(testServer, run);
    await server.stop();
  };
  return { testServer, stop };
}

/** MILLRACE_TEST_POOLER=transaction: what the engine's tests build is behind PgBouncer. */
async function openPooler({ url, login, password }: TestServer): Promise<PgBouncer | undefined> {
  if (process.env.MILLRACE_TEST_POOLER !== 'transaction') return undefined;
  const user = new URL(url);
  user.username = login;
  user.password = password;
  // Tests stop inside several transactions at a time.
  const pooler = await startPgBouncer(url, [user.href], { poolSize: 24 });
  sendThrough(url, pooler);
  return pooler;
}

/** The superuser's password was hashed before the settings were there. */
async function rehashPassword(adminUrl: string): Promise<void> {
  const { password } = new URL(adminUrl);
  await withAdmin(adminUrl, async (query) => {
    await query(`alter role current_user password '${password}'`);
  });
}

async function openServer(): Promise<{ url: string; shared: boolean; stop(): Promise<void> }> {
  const shared = process.env.MILLRACE_TEST_DATABASE_URL;
  if (shared !== undefined) return { url: shared, shared: true, async stop() {} };
  const home = makeTempHome('test');
  const { adminUrl, stop } = await startEmbeddedPostgres({ home, log: silentLog, settings });
  await rehashPassword(adminUrl);
  const url = new URL(adminUrl);
  url.pathname = '/postgres';
  return {
    url: url.href,
    shared: false,
    async stop() {
      await stop();
      removeTempHome(home);
    },
  };
}

async function createTemplate({ url, template, login, password }: TestServer): Promise<void> {
  await withAdmin(url, async (query) => {
    await query(`create role ${login} login noinherit password '${password}'`);
    await query(`create database ${template}`);
  });
  const target = new URL(url);
  target.pathname = `/${template}`;
  await migrate({ url: target.href, appLogin: login, roles: kitRoles });
  await withAdmin(target.href, async (query) => {
    await query(moveRecorder);
  });
}

async function dropEverything({ url, login }: TestServer, run: string): Promise<void> {
  await withAdmin(url, async (query) => {
    for (const name of await query(`select datname as name from pg_database where datname like 'mt_${run}_%'`))
      await query(`drop database if exists ${name} with (force)`);
    await query(`drop role if exists ${login}`);
  });
}

async function withAdmin(url: string, fn: (query: (sql: string) => Promise<string[]>) => Promise<void>): Promise<void> {
  const client = await connectClient({ url, applicationName: 'millrace-test-setup', connectTimeoutMs: 120_000 });
  try {
    await fn(async (sql) => ((await client.query<{ name: string }>(sql)).rows ?? []).map(({ name }) => name));
  } finally {
    await client.end();
  }
}

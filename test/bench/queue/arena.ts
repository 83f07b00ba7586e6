// The ground all contenders stand on: one embedded Postgres with fsync and synchronous_commit on, a database of its own for
// each measurement, and a Redis where there is one.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type pg from 'pg';
import { connectClient } from '../../../src/platform/database.ts';
import { startEmbeddedPostgres } from '../../../src/platform/embedded-postgres.ts';
import { silentLog } from '../../../src/platform/log.ts';
import { makeTempHome, removeTempHome } from '../../support/temp-home.ts';
import { onPath } from '../report.ts';
import type { ContenderOptions } from './contender.ts';
import type { CurrentPeers } from './current-peers.ts';
import type { ContenderName } from './orders.ts';

export interface Ground extends ContenderOptions {
  readonly admin: pg.Client;
  readonly current: CurrentPeers | undefined;
  drop(): Promise<void>;
}

export interface Arena {
  readonly peers: readonly ContenderName[];
  readonly settings: Readonly<Record<string, string>>;
  ground(name: ContenderName): Promise<Ground>;
  close(): Promise<void>;
}

const REDIS_PORT = 26_379;

/** How each contender says that nothing is left to do. */
export const nothingLeft: Readonly<Partial<Record<ContenderName, string>>> = {
  millrace: `select not exists (select from engine.ready) and not exists (select from engine.leases) as done`,
  'graphile-worker': `select not exists (select from graphile_worker._private_jobs) as done`,
  'pg-boss': `select not exists (select from pgboss.job where name = 'noop' and state < 'completed') as done`,
};

export async function openArena(current?: CurrentPeers): Promise<Arena> {
  const home = makeTempHome('bench');
  const server = await startEmbeddedPostgres({ home, log: silentLog });
  const maintenance = new URL(server.adminUrl);
  maintenance.pathname = '/postgres';
  const main = await connect(maintenance.href);
  const { rows } = await main.query<{ name: string; setting: string }>(
    `select name, setting from pg_settings
     where name in ('server_version', 'fsync', 'synchronous_commit', 'full_page_writes', 'shared_buffers', 'max_wal_size')`,
  );
  const redis = onPath('redis-server') ? startRedis() : undefined;
  let made = 0;
  return {
    peers: ['graphile-worker', 'pg-boss', ...(redis ? (['bullmq'] as const) : [])],
    settings: Object.fromEntries(rows.map((row) => [row.name, row.setting])),
    async ground(name) {
      made += 1;
      const database = `bench_${name.replaceAll('-', '_')}_${made}`;
      await main.query(`create database ${database}`);
      const inDatabase = (url: string) => {
        const target = new URL(url);
        target.pathname = `/${database}`;
        return target.href;
      };
      const adminUrl = inDatabase(server.adminUrl);
      const admin = await connect(adminUrl);
      return {
        url: inDatabase(server.appUrl),
        adminUrl,
        redisPort: redis ? REDIS_PORT : undefined,
        admin,
        current,
        async drop() {
          await admin.end();
          await main.query(`drop database ${database} with (force)`);
        },
      };
    },
    async close() {
      redis?.stop();
      await main.end();
      await server.stop();
      removeTempHome(home);
    },
  };
}

async function connect(url: string): Promise<pg.Client> {
  return connectClient({ url, applicationName: 'bench', connectTimeoutMs: 10_000 });
}

function startRedis(): { stop(): void } {
  const folder = mkdtempSync(path.join(tmpdir(), 'millrace-redis-'));
  const settings = ['--port', String(REDIS_PORT), '--dir', folder, '--appendonly', 'yes', '--appendfsync', 'everysec'];
  const child: ChildProcess = spawn('redis-server', [...settings, '--save', '', '--bind', '127.0.0.1'], {
    stdio: 'ignore',
  });
  return {
    stop() {
      child.kill('SIGTERM');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

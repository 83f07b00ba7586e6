// A primary and a real streaming replica, from the embedded binaries. The package has no pg_basebackup: both begin as copies of one stopped
// and migrated data folder, and the replica streams from there on.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { appendFileSync, chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { kitRoles } from '../../src/pipelines/all.ts';
import { prepareBinaries } from '../../src/platform/embedded/binaries.ts';
import { chooseServerUser } from '../../src/platform/embedded/server-user.ts';
import { migrate } from '../../src/platform/migrate.ts';
import { freePort } from '../support/free-port.ts';
import { makeTempHome, removeTempHome } from '../support/temp-home.ts';
import { schema } from './tally.ts';

export interface ReplicaPair {
  readonly primaryPort: number;
  readonly replicaPort: number;
  readonly adminUrl: string;
  readonly appUrl: string;
  readonly replicaAdminUrl: string;
  /** Waits until the replica has everything. */
  caughtUp(): Promise<void>;
  /** From now on it falls behind. */
  stopReplication(): Promise<void>;
  /** The primary dies at once, the replica takes its place. */
  promote(): Promise<void>;
  stop(): Promise<void>;
}

export interface Replicas {
  startPair(): Promise<ReplicaPair>;
  remove(): void;
}

const DATABASE = 'chaos';
/** Ends the server as it is told to, and at once when whoever started it is gone: a killed suite leaves no server behind. */
const GUARD = '"$@" & how=QUIT; read -r asked && how=$asked; kill -"$how" $!; wait';

export async function openReplicas(): Promise<Replicas> {
  const home = makeTempHome('replica');
  const user = chooseServerUser(path.join(home, 'none'));
  const binaries = prepareBinaries(home, user);
  const as = { ...user, env: binaries.env };
  const own = (folder: string) => {
    if (user) chownSync(folder, user.uid, user.gid);
  };
  const template = path.join(home, 'template');
  mkdirSync(template, { mode: 0o700 });
  own(template);
  const args = ['-D', template, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync', '--locale=C'];
  execFileSync(binaries.initdb, args, { ...as, cwd: home, stdio: 'ignore' });
  appendFileSync(path.join(template, 'postgresql.conf'), settings);
  const first = await start(template);
  await onServer(
    urlOf(first.port, 'postgres', 'postgres'),
    `create role millrace login noinherit`,
    `create database ${DATABASE}`,
  );
  await migrate({ url: urlOf(first.port, 'postgres', DATABASE), appLogin: 'millrace', roles: kitRoles });
  await onServer(urlOf(first.port, 'postgres', DATABASE), schema);
  await first.end('INT');
  let made = 0;

  async function start(data: string) {
    const port = await freePort();
    const args = ['-c', GUARD, 'guard', binaries.postgres, '-D', data, '-p', String(port)];
    const guard = spawn('/bin/sh', args, { ...as, cwd: home, stdio: ['pipe', 'ignore', 'ignore'] });
    await waitUntil(() => answers(urlOf(port, 'postgres', 'postgres')), `the server in ${data}`);
    return { port, end: (how: 'INT' | 'QUIT') => ended(guard, how) };
  }

  function copy(name: string): string {
    const data = path.join(home, name);
    execFileSync('cp', ['-a', template, data]);
    return data;
  }

  return {
    async startPair() {
      made += 1;
      const [primaryData, replicaData] = [copy(`primary-${made}`), copy(`replica-${made}`)];
      const primary = await start(primaryData);
      writeFileSync(path.join(replicaData, 'standby.signal'), '');
      own(path.join(replicaData, 'standby.signal'));
      const upstream = `host=127.0.0.1 port=${primary.port} user=postgres`;
      appendFileSync(path.join(replicaData, 'postgresql.conf'), `primary_conninfo = '${upstream}'\n`);
      const replica = await start(replicaData);
      const replicaUrl = urlOf(replica.port, 'postgres', 'postgres');
      const primaryUrl = urlOf(primary.port, 'postgres', 'postgres');
      return {
        primaryPort: primary.port,
        replicaPort: replica.port,
        adminUrl: urlOf(primary.port, 'postgres', DATABASE),
        appUrl: urlOf(primary.port, 'millrace', DATABASE),
        replicaAdminUrl: urlOf(replica.port, 'postgres', DATABASE),
        async caughtUp() {
          const [at] = await onServer<{ lsn: string }>(primaryUrl, 'select pg_current_wal_lsn()::text as lsn');
          await waitUntil(async () => {
            const [row] = await onServer<{ there: boolean }>(
              replicaUrl,
              `select pg_last_wal_replay_lsn() >= '${at?.lsn}'::pg_lsn as there`,
            );
            return row?.there === true;
          }, 'the replica to catch up');
        },
        async stopReplication() {
          await onServer(replicaUrl, `alter system set primary_conninfo = ''`, 'select pg_reload_conf()');
          await waitUntil(
            async () => (await onServer(primaryUrl, 'select from pg_stat_replication')).length === 0,
            'the replica to let go',
          );
        },
        async promote() {
          await primary.end('QUIT');
          await onServer(replicaUrl, 'select pg_promote()');
        },
        async stop() {
          await primary.end('QUIT');
          await replica.end('QUIT');
          for (const data of [primaryData, replicaData]) rmSync(data, { recursive: true, force: true });
        },
      };
    },
    remove: () => removeTempHome(home),
  };
}

const settings = `
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
max_connections = 200
wal_level = replica
max_wal_senders = 4
wal_keep_size = '128MB'
hot_standby = on
max_wal_size = '256MB'
fsync = off
`;

const urlOf = (port: number, user: string, database: string) => `postgresql://${user}@127.0.0.1:${port}/${database}`;

async function onServer<T extends pg.QueryResultRow>(url: string, ...statements: string[]): Promise<T[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    let rows: T[] = [];
    for (const statement of statements) rows = (await client.query<T>(statement)).rows;
    return rows;
  } finally {
    await client.end();
  }
}

async function answers(url: string): Promise<boolean> {
  return onServer(url, 'select 1').then(
    () => true,
    () => false,
  );
}

async function waitUntil(condition: () => Promise<boolean>, what: string): Promise<void> {
  for (const deadline = Date.now() + 60_000; !(await condition()); await pause(50))
    if (Date.now() > deadline) throw new Error(`waited a minute for ${what}`);
}

async function ended(guard: ChildProcess, how: 'INT' | 'QUIT'): Promise<void> {
  if (guard.exitCode !== null || guard.signalCode !== null) return;
  const exited = new Promise((resolve) => guard.once('exit', resolve));
  guard.stdin?.end(`${how}\n`);
  await exited;
}

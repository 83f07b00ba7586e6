// The embedded database: a real Postgres under `<home>/postgres`, durable, on 127.0.0.1 only, shared by all Millrace processes
// that name the same home and shut down when the last of them is gone, however it went. See embedded/supervisor.ts for how.
//
// `postgres` is the superuser that migrates; `millrace` is the login of the application, which owns nothing and may only
// become the roles that migrations grant to it.
import { chmodSync, chownSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import { connectClient } from './database.ts';
import { type PostgresBinaries, prepareBinaries } from './embedded/binaries.ts';
import { type Cluster, dataFolderOf, moveControlPort, openCluster } from './embedded/cluster.ts';
import { memorySettings } from './embedded/memory-settings.ts';
import { isServerOf, readPidFile } from './embedded/pid-file.ts';
import { chooseServerUser, preparePostgresFolder, type ServerUser } from './embedded/server-user.ts';
import type { SupervisorPlan } from './embedded/supervisor.ts';
import {
  linkSupervisor,
  NobodyAnswers,
  type ServerAddress,
  StrangerOnPort,
  type SupervisorLink,
} from './embedded/supervisor-link.ts';
import type { Log } from './log.ts';

export interface EmbeddedOptions {
  readonly home: string;
  readonly log: Log;
  /** Server settings on top of ours; tests use it, nobody should turn durability off elsewhere. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly startTimeoutMs?: number;
  readonly stopTimeoutMs?: number;
  /** How long the supervisor of the server may be silent before it counts as frozen. */
  readonly answerTimeoutMs?: number;
}

export interface EmbeddedPostgres {
  readonly adminUrl: string;
  readonly appUrl: string;
  readonly port: number;
  /** The process id of the server when it was started. */
  readonly pid: number;
  readonly socketFolder: string | undefined;
  /** Gives the server up: it stops, unless another process uses it. */
  stop(): Promise<void>;
}

export const appLogin = 'millrace';
const databaseName = 'millrace';
/** Longest path of a unix socket on macOS, less the name Postgres adds ("/.s.PGSQL.65535"). */
const maxSocketFolder = 103 - 16;

const durableSettings: Readonly<Record<string, string>> = {
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
};

const serverSettings: Readonly<Record<string, string>> = {
  ...durableSettings,
  listen_addresses: '127.0.0.1',
  max_connections: '200',
  ...memorySettings(),
  max_wal_size: '2GB',
  password_encryption: 'scram-sha-256',
  // The server's own log must not repeat rows: no statements, no DETAIL with key values.
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
};

export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const home = path.resolve(options.home);
  const user = chooseServerUser(dataFolderOf(path.join(home, 'postgres')));
  const folder = preparePostgresFolder(home, user);
  const logFile = path.join(folder, 'server.log');
  const failed = (error: unknown) =>
    error instanceof MillraceError
      ? error
      : new MillraceError(
          'embedded_failed',
          { home: folder, reason: (error as Error).message.replace(/\.$/, ''), log: logFile },
          { cause: error },
        );
  try {
    const binaries = prepareBinaries(folder, user);
    const cluster = await openCluster(folder, binaries, user);
    const socketFolder = prepareSocketFolder(folder, user);
    const args = serverArguments(socketFolder, options.settings ?? {});
    const plan = makePlan(cluster, binaries, user, args, logFile);
    const link = await openLink(cluster, plan, options);
    const urls = urlsOf(cluster, link.address.port);
    await prepareApplication(urls.maintenanceUrl, cluster.secrets.appPassword).catch(async (error: unknown) => {
      await link.close();
      throw error;
    });
    options.log.info({ port: link.address.port, serverPid: link.address.pid, folder }, 'embedded database is ready');
    return {
      ...urls,
      ...link.address,
      socketFolder,
      async stop() {
        options.log.info({ outcome: await link.close() }, 'embedded database was given up');
      },
    };
  } catch (error) {
    throw failed(error);
  }
}

async function openLink(cluster: Cluster, plan: SupervisorPlan, options: EmbeddedOptions): Promise<SupervisorLink> {
  const { log } = options;
  const link = (current: Cluster) =>
    linkSupervisor({
      secrets: current.secrets,
      plan,
      startTimeoutMs: options.startTimeoutMs ?? 120_000,
      stopTimeoutMs: options.stopTimeoutMs ?? 30_000,
      answerTimeoutMs: options.answerTimeoutMs ?? 5_000,
      onMoved: (address: ServerAddress) => log.warn(address, 'embedded database was restarted by a new supervisor'),
      onLost: (error) => log.error({ err: error }, 'embedded database is gone'),
    });
  try {
    return await link(cluster);
  } catch (error) {
    const server = readPidFile(cluster.dataFolder);
    // Its supervisor is frozen, but the server serves somebody: taking it away would hurt them.
    if (error instanceof NobodyAnswers && server !== undefined && isServerOf(server.pid, cluster.dataFolder))
      throw new MillraceError('home_in_use', { pid: server.pid, home: cluster.folder });
    if (!(error instanceof StrangerOnPort || error instanceof NobodyAnswers)) throw error;
    log.warn({ port: cluster.secrets.controlPort }, 'control port of the embedded database is taken; moving');
    return link(await moveControlPort(cluster));
  }
}

function makePlan(
  cluster: Cluster,
  binaries: PostgresBinaries,
  user: ServerUser | undefined,
  args: readonly string[],
  logFile: string,
): SupervisorPlan {
  return {
    dataFolder: cluster.dataFolder,
    clusterFile: path.join(cluster.folder, 'cluster', 'cluster.json'),
    logFile,
    postgres: binaries.postgres,
    args,
    env: binaries.env,
    ...(user ? { user } : {}),
  };
}

function serverArguments(socketFolder: string | undefined, extra: Readonly<Record<string, string>>): string[] {
  const settings = { ...serverSettings, unix_socket_directories: socketFolder ?? '', ...extra };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

function prepareSocketFolder(folder: string, user: ServerUser | undefined): string | undefined {
  const socketFolder = path.join(folder, 'socket');
  if (Buffer.byteLength(socketFolder) > maxSocketFolder || socketFolder.includes(',')) return undefined;
  mkdirSync(socketFolder, { recursive: true });
  chmodSync(socketFolder, 0o700);
  if (user) chownSync(socketFolder, user.uid, user.gid);
  return socketFolder;
}

function urlsOf(cluster: Cluster, port: number) {
  const { adminPassword, appPassword } = cluster.secrets;
  const url = (login: string, password: string, database: string) =>
    `postgresql://${login}:${password}@127.0.0.1:${port}/${database}`;
  return {
    maintenanceUrl: url('postgres', adminPassword, 'postgres'),
    adminUrl: url('postgres', adminPassword, databaseName),
    appUrl: url(appLogin, appPassword, databaseName),
  };
}

/** Makes the application's login and database where they are missing. Safe when several processes do it at once. */
async function prepareApplication(maintenanceUrl: string, appPassword: string): Promise<void> {
  const client = await connectClient({
    url: maintenanceUrl,
    applicationName: 'millrace-setup',
    connectTimeoutMs: 10_000,
  });
  try {
    await client.query(`select pg_advisory_lock(hashtext('millrace.setup'))`);
    const { rows } = await client.query<{ login: boolean; database: boolean }>(
      `select exists (select from pg_roles where rolname = $1) as login,
              exists (select from pg_database where datname = $2) as database`,
      [appLogin, databaseName],
    );
    if (!rows[0]?.login) await client.query(`create role ${appLogin} login noinherit password '${appPassword}'`);
    if (!rows[0]?.database) await client.query(`create database ${databaseName}`);
  } finally {
    await client.end();
  }
}

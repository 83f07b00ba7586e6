// The database cluster on disk: created once, in a draft folder that is renamed when complete, so that two processes that
// start at once or a kill in the middle never leave half a cluster. Its passwords and the supervisor's control port live
// in cluster.json (0600), which is written before the rename.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { isAlive } from '../is-alive.ts';
import type { PostgresBinaries } from './binaries.ts';
import type { ServerUser } from './server-user.ts';

export interface Cluster {
  readonly folder: string;
  readonly dataFolder: string;
  readonly secrets: ClusterSecrets;
}

export interface ClusterSecrets {
  readonly adminPassword: string;
  readonly appPassword: string;
  /** The loopback port that the one supervisor of this cluster listens on; holding it is the lock on the cluster. */
  readonly controlPort: number;
  /** Proves to the supervisor that a process may read cluster.json. */
  readonly controlToken: string;
}

const initdbTimeoutMs = 120_000;
// Below the range that Linux (32768–60999) and macOS (49152–65535) hand out to outgoing connections.
const controlPorts = { first: 20_000, count: 12_000 };

/** Opens the cluster in `folder`, creating it on first use. */
export async function openCluster(
  folder: string,
  binaries: PostgresBinaries,
  user: ServerUser | undefined,
): Promise<Cluster> {
  const clusterFolder = path.join(folder, 'cluster');
  if (!existsSync(clusterFolder)) await createCluster(folder, clusterFolder, binaries, user);
  return { folder, dataFolder: path.join(clusterFolder, 'data'), secrets: readSecrets(clusterFolder) };
}

export function dataFolderOf(folder: string): string {
  return path.join(folder, 'cluster', 'data');
}

/** Takes another control port, for the rare case that a stranger listens on ours. */
export async function moveControlPort(cluster: Cluster): Promise<Cluster> {
  const secrets = { ...cluster.secrets, controlPort: await freeControlPort() };
  const file = path.join(cluster.folder, 'cluster', 'cluster.json');
  writeSecrets(`${file}.${process.pid}`, secrets);
  renameSync(`${file}.${process.pid}`, file);
  return { ...cluster, secrets };
}

async function createCluster(
  folder: string,
  clusterFolder: string,
  binaries: PostgresBinaries,
  user: ServerUser | undefined,
): Promise<void> {
  const draft = path.join(folder, `cluster.draft-${process.pid}`);
  const data = path.join(draft, 'data');
  const secrets: ClusterSecrets = {
    adminPassword: randomBytes(24).toString('base64url'),
    appPassword: randomBytes(24).toString('base64url'),
    controlPort: await freeControlPort(),
    controlToken: randomBytes(24).toString('base64url'),
  };
  removeAbandonedDrafts(folder);
  try {
    mkdirSync(data, { recursive: true, mode: 0o755 });
    chmodSync(data, 0o700);
    if (user) chownSync(data, user.uid, user.gid);
    initialise(draft, data, secrets, binaries, user);
    writeSecrets(path.join(draft, 'cluster.json'), secrets);
    renameSync(draft, clusterFolder);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    // Somebody else's cluster got there first: use that one.
    if (existsSync(path.join(clusterFolder, 'cluster.json'))) return;
    throw error;
  }
}

// A process that was killed while it created the cluster leaves its draft behind.
function removeAbandonedDrafts(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = /^cluster\.draft-(\d+)$/.exec(name)?.[1];
    if (pid === undefined || (Number(pid) !== process.pid && isAlive(Number(pid)))) continue;
    rmSync(path.join(folder, name), { recursive: true, force: true });
  }
}

function initialise(
  draft: string,
  data: string,
  secrets: ClusterSecrets,
  binaries: PostgresBinaries,
  user: ServerUser | undefined,
): void {
  const passwordFile = path.join(draft, 'password');
  writeFileSync(passwordFile, secrets.adminPassword, { mode: 0o600 });
  if (user) chownSync(passwordFile, user.uid, user.gid);
  const args = [
    `--pgdata=${data}`,
    '--username=postgres',
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
  ];
  try {
    execFileSync(binaries.initdb, args, {
      env: binaries.env,
      cwd: draft,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: initdbTimeoutMs,
      ...user,
    });
  } catch (error) {
    const { stderr, message } = error as { stderr?: Buffer; message: string };
    const reason = stderr?.toString().trim().split('\n').slice(-3).join(' ') || message;
    throw new MillraceError('embedded_failed', { home: draft, reason, log: 'the reason above' }, { cause: error });
  } finally {
    rmSync(passwordFile, { force: true });
  }
}

function readSecrets(clusterFolder: string): ClusterSecrets {
  const file = path.join(clusterFolder, 'cluster.json');
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as ClusterSecrets;
  } catch (error) {
    throw new MillraceError('home_unusable', { home: file, reason: (error as Error).message }, { cause: error });
  }
}

function writeSecrets(file: string, secrets: ClusterSecrets): void {
  writeFileSync(file, JSON.stringify(secrets, null, 2), { mode: 0o600 });
}

async function freeControlPort(): Promise<number> {
  for (;;) {
    const port = controlPorts.first + (randomBytes(4).readUInt32BE() % controlPorts.count);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = net.createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}

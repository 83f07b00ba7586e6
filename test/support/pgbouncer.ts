// A real PgBouncer in transaction mode before the tests' server. With MILLRACE_TEST_POOLER=transaction the engine's tests and the chaos
// suites go through it; a part of the suite always does. A machine without PgBouncer leaves them out and says so; CI has it.
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { EnginePoolOptions } from '../../src/engine/engine-pools.ts';
import { freePort } from './free-port.ts';
import { waitFor } from './wait-for.ts';

const pgbouncerPath = process.env.PGBOUNCER_PATH ?? '/usr/sbin/pgbouncer';

export interface PgBouncer {
  /** The same connection string, through the pooler. */
  through(url: string): string;
  readonly port: number;
  /** SIGINT and a new one on the same port, as an upgrade does. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export interface PgBouncerOptions {
  /** Server connections for each login on each database. */
  readonly poolSize?: number;
  /** Further lines of the [pgbouncer] section. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** Whether there is one. Where its absence is a fault (CI), it says so by throwing. */
export function hasPgBouncer(): boolean {
  if (existsSync(pgbouncerPath)) return true;
  const missing = `there is no PgBouncer at ${pgbouncerPath} (apt-get install pgbouncer, or set PGBOUNCER_PATH)`;
  if (process.env.CI) throw new Error(missing);
  console.warn(`Tests behind a pooler are left out: ${missing}.`);
  return false;
}

// Set by whoever starts the pooler, read by the processes it starts: the server's port, the pooler's, and those of proxies before it.
const PORTS = 'TEST_POOLER_PORTS';

/** From now on the engines of this process and of those it starts go through the pooler to the server at `url`. */
export function sendThrough(url: string, { port }: PgBouncer): void {
  process.env[PORTS] = [portOf(url), port].join(':');
}

/** Where a proxy before the engine's connections has to pass them on to, and how to say that it does. */
export function frontOf(url: string): { host: string; port: number; standsBefore(proxyPort: number): void } {
  const [serverPort, poolerPort] = ports();
  const isPooled = poolerPort !== undefined && portOf(url) === serverPort;
  return {
    host: new URL(url).hostname,
    port: Number(isPooled ? poolerPort : portOf(url)),
    standsBefore(proxyPort) {
      if (isPooled) process.env[PORTS] = [...ports(), proxyPort].join(':');
    },
  };
}

/** What an engine is opened with. What goes another way already, such as through a proxy of the server, stays as it is. */
export function enginePoolUrls(url: string): Pick<EnginePoolOptions, 'url' | 'directUrl' | 'pooler'> {
  const [serverPort, poolerPort, ...proxyPorts] = ports();
  if (serverPort === undefined || poolerPort === undefined) return { url };
  if (proxyPorts.includes(portOf(url))) return { url, directUrl: withPort(url, serverPort), pooler: 'transaction' };
  if (portOf(url) !== serverPort) return { url };
  return { url: withPort(url, poolerPort), directUrl: url, pooler: 'transaction' };
}

function ports(): string[] {
  return (process.env[PORTS] ?? '').split(':').filter((port) => port !== '');
}

function portOf(url: string): string {
  return new URL(url).port || '5432';
}

function withPort(url: string, port: string): string {
  const target = new URL(url);
  target.port = port;
  return target.href;
}

/** For a server at `url` and the logins of the given connection strings. */
export async function startPgBouncer(
  url: string,
  logins: readonly string[],
  options: PgBouncerOptions = {},
): Promise<PgBouncer> {
  const folder = mkdtempSync(path.join(tmpdir(), 'millrace-pgbouncer-'));
  const port = await freePort();
  const ini = path.join(folder, 'pgbouncer.ini');
  const users = path.join(folder, 'users.txt');
  writeFileSync(users, logins.map(userLine).join(''));
  writeFileSync(ini, iniFile(url, port, users, options));
  // It refuses to run as root.
  const isRoot = process.getuid?.() === 0;
  if (isRoot) {
    chmodSync(folder, 0o755);
    for (const file of [ini, users]) chownSync(file, 65_534, 65_534);
  }
  let child = await launch(ini, port, isRoot);
  return {
    port,
    through(original) {
      const target = new URL(original);
      target.hostname = '127.0.0.1';
      target.port = String(port);
      return target.href;
    },
    async restart() {
      await end(child);
      child = await launch(ini, port, isRoot);
    },
    async stop() {
      await end(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function iniFile(url: string, port: number, users: string, { poolSize = 8, settings = {} }: PgBouncerOptions): string {
  const { hostname, port: serverPort } = new URL(url);
  const lines = {
    listen_addr: '127.0.0.1',
    listen_port: String(port),
    unix_socket_dir: '',
    auth_type: 'trust',
    auth_file: users,
    pool_mode: 'transaction',
    default_pool_size: String(poolSize),
    max_client_conn: '2000',
    server_login_retry: '1',
    ...settings,
  };
  const section = Object.entries(lines).map(([name, value]) => `${name} = ${value}`);
  return `[databases]\n* = host=${hostname} port=${serverPort || 5432}\n\n[pgbouncer]\n${section.join('\n')}\n`;
}

function userLine(login: string): string {
  const { username, password } = new URL(login);
  return `"${decodeURIComponent(username)}" "${decodeURIComponent(password)}"\n`;
}

async function launch(ini: string, port: number, isRoot: boolean): Promise<ChildProcess> {
  const child = spawn(pgbouncerPath, [...(isRoot ? ['-u', 'nobody'] : []), ini], { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-4_000);
    });
  try {
    await waitFor(async () => child.exitCode === null && (await isListening(port)), { what: 'PgBouncer to listen' });
  } catch (error) {
    child.kill('SIGKILL');
    throw new Error(`PgBouncer did not start: ${said}`, { cause: error });
  }
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await exited;
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

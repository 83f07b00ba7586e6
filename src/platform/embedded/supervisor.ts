// The supervisor: a small process of its own that owns the embedded server, so that the server lives exactly as long as
// somebody uses it. Every Millrace process holds one open connection to it; the kernel closes that connection however the
// process ends, also by kill -9. When the last one is gone the server is shut down and the supervisor ends.
//
// Listening on the cluster's control port is the lock: there is one supervisor per cluster. It starts the server again on
// the same port when it dies, and replaces a server left behind by a supervisor that was killed. It uses only Node itself.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, openSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isAlive } from '../is-alive.ts';
import { isServerOf, readPidFile } from './pid-file.ts';
import { bannerOf } from './supervisor-banner.ts';

export interface SupervisorPlan {
  readonly dataFolder: string;
  readonly clusterFile: string;
  readonly logFile: string;
  readonly postgres: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly user?: { readonly uid: number; readonly gid: number };
}

/** What the supervisor says, one JSON object a line. The first line is the banner, by which a stranger is told apart. */
export type SupervisorMessage =
  | { readonly banner: string }
  | { readonly state: 'ready'; readonly port: number; readonly pid: number }
  | { readonly state: 'failed'; readonly reason: string }
  | { readonly state: 'kept' }
  | { readonly state: 'stopped' };

const unusedMs = 15_000;
const startMs = 300_000;
const fastStopMs = 20_000;
const immediateStopMs = 5_000;
const pollMs = 10;
const maxRestartsPerMinute = 10;
const maxLogBytes = 10 * 1024 * 1024;

class Supervisor {
  private readonly plan: SupervisorPlan;
  private readonly token: string;
  private readonly users = new Set<net.Socket>();
  private server: ChildProcess | undefined;
  private port = 0;
  private stopping: Promise<void> | undefined;
  private failure: string | undefined;
  private ready: Promise<void> | undefined;
  private restarts: number[] = [];

  constructor(plan: SupervisorPlan, token: string) {
    this.plan = plan;
    this.token = token;
  }

  run(controlPort: number): void {
    const control = net.createServer((socket) => this.greet(socket));
    // Port taken: another supervisor won the race, or a stranger sits there. Our starter finds out by asking it.
    control.on('error', () => process.exit(0));
    control.listen({ port: controlPort, host: '127.0.0.1', exclusive: true }, () => {
      this.ready = this.start();
      setTimeout(() => this.stopWhenUnused(), unusedMs).unref();
    });
    // A signal to the whole process group must not take the database away from a process that is still draining.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => this.stopWhenUnused());
  }

  private greet(socket: net.Socket): void {
    socket.on('error', () => {});
    if (this.stopping) {
      socket.destroy();
      return;
    }
    say(socket, { banner: bannerOf(this.plan.dataFolder) });
    const deadline = setTimeout(() => socket.destroy(), 5_000);
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk.toString();
      const lines = received.split('\n');
      received = lines.pop() ?? '';
      if (received.length > 1024) socket.destroy();
      for (const line of lines) {
        if (line === `hello ${this.token}`) {
          clearTimeout(deadline);
          void this.admit(socket);
        } else if (line === 'stop' && this.users.has(socket)) {
          void this.release(socket);
        } else {
          socket.destroy();
        }
      }
    });
    socket.on('close', () => {
      clearTimeout(deadline);
      if (this.users.delete(socket)) this.stopWhenUnused();
    });
  }

  private async admit(socket: net.Socket): Promise<void> {
    this.users.add(socket);
    await this.ready;
    if (this.failure === undefined) say(socket, { state: 'ready', port: this.port, pid: this.server?.pid ?? 0 });
    else say(socket, { state: 'failed', reason: this.failure });
  }

  private async release(socket: net.Socket): Promise<void> {
    this.users.delete(socket);
    if (this.users.size > 0) {
      say(socket, { state: 'kept' });
      return;
    }
    await this.stop();
    // Leave only when the answer is out.
    say(socket, { state: 'stopped' }, () => process.exit(0));
    setTimeout(() => process.exit(0), 1_000);
  }

  private stopWhenUnused(): void {
    if (this.users.size === 0) void this.stop().then(() => process.exit(0));
  }

  private stop(): Promise<void> {
    this.stopping ??= this.shutDown();
    return this.stopping;
  }

  private async shutDown(): Promise<void> {
    await this.ready?.catch(() => {});
    const pid = this.server?.pid;
    if (pid !== undefined && this.server?.exitCode === null) await endProcess(pid);
  }

  private async start(): Promise<void> {
    try {
      const leftover = await endLeftover(this.plan.dataFolder);
      await this.launch(this.port || leftover);
      this.failure = undefined;
    } catch (error) {
      this.failure = (error as Error).message;
    }
  }

  // Starts the server and waits until it takes connections.
  private async launch(preferredPort: number | undefined): Promise<void> {
    const deadline = Date.now() + startMs;
    let port = preferredPort ?? (await freePort());
    for (;;) {
      const logStart = rotateLog(this.plan.logFile);
      const server = this.spawnServer(port);
      if (await isReady(server, this.plan.dataFolder, deadline)) {
        this.server = server;
        this.port = port;
        server.once('exit', () => this.onServerExit());
        if (server.exitCode !== null || server.signalCode !== null) this.onServerExit();
        return;
      }
      const said = readFileSync(this.plan.logFile, 'utf8').slice(logStart);
      if (Date.now() > deadline) throw new Error(`it was not ready within ${startMs / 1000} s`);
      if (/Address already in use/.test(said)) port = await freePort();
      // The processes of a server that was killed need a moment to notice.
      else if (/shared memory block|lock file "postmaster.pid"/.test(said)) await pause(200);
      else throw new Error(lastComplaint(said));
    }
  }

  private spawnServer(port: number): ChildProcess {
    const log = openSync(this.plan.logFile, 'a', 0o600);
    return spawn(this.plan.postgres, ['-D', this.plan.dataFolder, '-p', String(port), ...this.plan.args], {
      env: this.plan.env,
      cwd: this.plan.dataFolder,
      stdio: ['ignore', log, log],
      ...this.plan.user,
    });
  }

  // The server died under its users: start it again where they expect it.
  private onServerExit(): void {
    if (this.stopping) return;
    const now = Date.now();
    this.restarts = [...this.restarts.filter((at) => at > now - 60_000), now];
    if (this.restarts.length > maxRestartsPerMinute) process.exit(1);
    // A server that dies again before we have seen it ready is no reason to give up on its users.
    this.ready = this.start().then(() => {
      if (this.failure !== undefined) this.onServerExit();
    });
  }
}

/** Ends a server that still runs on the data folder although its supervisor is gone; returns the port it had. */
async function endLeftover(dataFolder: string): Promise<number | undefined> {
  const found = readPidFile(dataFolder);
  if (found === undefined) return undefined;
  if (isServerOf(found.pid, dataFolder)) await endProcess(found.pid);
  else if (isAlive(found.pid)) disown(dataFolder);
  return found.port;
}

// The pid in the file now belongs to something else, and Postgres would refuse to start. It ignores a file that names its
// own parent but still checks that no process uses the old shared memory: so name ourselves instead of deleting the file.
function disown(dataFolder: string): void {
  const file = path.join(dataFolder, 'postmaster.pid');
  const lines = readFileSync(file, 'utf8').split('\n');
  writeFileSync(file, [String(process.pid), ...lines.slice(1)].join('\n'));
}

/** Fast shutdown; after a while immediate (which the next start recovers from); in the end by force. */
async function endProcess(pid: number): Promise<void> {
  const steps = [
    ['SIGINT', fastStopMs],
    ['SIGQUIT', immediateStopMs],
    ['SIGKILL', immediateStopMs],
  ] as const;
  for (const [signal, waitMs] of steps) {
    try {
      process.kill(pid, signal);
    } catch {
      return;
    }
    for (const deadline = Date.now() + waitMs; Date.now() < deadline; await pause(pollMs)) if (!isAlive(pid)) return;
  }
}

async function isReady(server: ChildProcess, dataFolder: string, deadline: number): Promise<boolean> {
  let ended = false;
  server.once('exit', () => {
    ended = true;
  });
  server.once('error', () => {
    ended = true;
  });
  while (!ended && Date.now() < deadline) {
    const file = readPidFile(dataFolder);
    if (file !== undefined && file.pid === server.pid && file.status === 'ready') return true;
    await pause(pollMs);
  }
  if (!ended && server.pid !== undefined) await endProcess(server.pid);
  return false;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = net.createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as net.AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}

function rotateLog(file: string): number {
  if (!existsSync(file)) return 0;
  const { size } = statSync(file);
  if (size < maxLogBytes) return readFileSync(file, 'utf8').length;
  renameSync(file, `${file}.1`);
  return 0;
}

function lastComplaint(said: string): string {
  const lines = said.trim().split('\n');
  const complaint = lines.findLast((line) => /FATAL|PANIC|error/i.test(line)) ?? lines.at(-1);
  return complaint?.trim() || 'it ended without a message';
}

function say(socket: net.Socket, message: SupervisorMessage, then?: () => void): void {
  socket.write(`${JSON.stringify(message)}\n`, then);
}

function main(): void {
  const plan = JSON.parse(process.argv[2] ?? '') as SupervisorPlan;
  const secrets = JSON.parse(readFileSync(plan.clusterFile, 'utf8')) as { controlPort: number; controlToken: string };
  process.title = 'millrace-postgres-supervisor';
  new Supervisor(plan, secrets.controlToken).run(secrets.controlPort);
}

main();

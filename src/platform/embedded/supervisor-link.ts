// Our end of the connection to the supervisor: starts one when there is none, waits until the server is ready, keeps the
// connection open as the sign that we are using the server, and finds a supervisor again when it is killed.
import { type ChildProcess, spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { createRequire } from 'node:module';
import net from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { ClusterSecrets } from './cluster.ts';
import type { SupervisorMessage, SupervisorPlan } from './supervisor.ts';
import { bannerOf } from './supervisor-banner.ts';

export interface ServerAddress {
  readonly port: number;
  readonly pid: number;
}

export interface SupervisorLink {
  readonly address: ServerAddress;
  /** Gives the server up; it stops when nobody else uses it. */
  close(): Promise<CloseOutcome>;
}

/** late: it was still stopping when our patience ended. */
export type CloseOutcome = 'stopped' | 'kept' | 'late';

export interface LinkOptions {
  readonly secrets: ClusterSecrets;
  readonly plan: SupervisorPlan;
  readonly startTimeoutMs: number;
  readonly stopTimeoutMs: number;
  /** A supervisor that says nothing for this long is frozen. */
  readonly answerTimeoutMs: number;
  /** The supervisor was killed and a new one runs the server now. */
  readonly onMoved: (address: ServerAddress) => void;
  readonly onLost: (error: unknown) => void;
}

/** Somebody else, not a supervisor, listens on the control port. */
export class StrangerOnPort extends Error {}

/** Something listens on the control port but does not say a word: a supervisor that was frozen, or a stranger. */
export class NobodyAnswers extends Error {}

class ServerFailed extends Error {}

const retryMs = 20;

export async function linkSupervisor(options: LinkOptions): Promise<SupervisorLink> {
  let connection = await connect(options);
  let closing = false;
  const watch = () => {
    connection.socket.once('close', async () => {
      if (closing) return;
      try {
        const before = connection.address;
        connection = await connect(options);
        watch();
        if (before.port !== connection.address.port || before.pid !== connection.address.pid)
          options.onMoved(connection.address);
      } catch (error) {
        options.onLost(error);
      }
    });
  };
  watch();
  return {
    get address() {
      return connection.address;
    },
    close() {
      closing = true;
      return giveUp(connection.socket, options.stopTimeoutMs);
    },
  };
}

interface Connection {
  readonly socket: net.Socket;
  readonly address: ServerAddress;
}

async function connect(options: LinkOptions): Promise<Connection> {
  const deadline = Date.now() + options.startTimeoutMs;
  let supervisor: ChildProcess | undefined;
  while (Date.now() < deadline) {
    const socket = await dial(options.secrets.controlPort);
    if (socket === undefined) {
      if (supervisor === undefined || supervisor.exitCode !== null || supervisor.signalCode !== null)
        supervisor = startSupervisor(options.plan);
      await pause(retryMs);
      continue;
    }
    const address = await handshake(socket, options, deadline);
    if (address !== undefined) {
      socket.unref();
      return { socket, address };
    }
    // It was just stopping; its successor is ours to start.
    socket.destroy();
    await pause(retryMs);
  }
  throw new ServerFailed(`it was not ready within ${options.startTimeoutMs / 1000} s`);
}

function dial(port: number): Promise<net.Socket | undefined> {
  return new Promise((resolve) => {
    const socket = net.connect({ port, host: '127.0.0.1' });
    socket.once('connect', () => {
      socket.removeAllListeners('error');
      socket.on('error', () => {});
      resolve(socket);
    });
    socket.once('error', () => resolve(undefined));
  });
}

async function handshake(
  socket: net.Socket,
  { secrets, plan, answerTimeoutMs }: LinkOptions,
  deadline: number,
): Promise<ServerAddress | undefined> {
  const messages = readMessages(socket);
  const banner = await messages(answerTimeoutMs);
  if (banner === 'closed') return undefined;
  if (banner === 'timeout') {
    socket.destroy();
    throw new NobodyAnswers();
  }
  if (typeof banner === 'string' || !('banner' in banner) || banner.banner !== bannerOf(plan.dataFolder)) {
    socket.destroy();
    throw new StrangerOnPort();
  }
  socket.write(`hello ${secrets.controlToken}\n`);
  const answer = await messages(Math.max(1, deadline - Date.now()));
  if (typeof answer === 'string' || !('state' in answer)) return undefined;
  if (answer.state === 'failed') {
    socket.destroy();
    throw new ServerFailed(answer.reason);
  }
  return answer.state === 'ready' ? { port: answer.port, pid: answer.pid } : undefined;
}

async function giveUp(socket: net.Socket, timeoutMs: number): Promise<CloseOutcome> {
  if (socket.destroyed) return 'stopped';
  socket.ref();
  const messages = readMessages(socket);
  socket.write('stop\n');
  const answer = await messages(timeoutMs);
  socket.destroy();
  if (answer === 'timeout') return 'late';
  return typeof answer === 'object' && 'state' in answer && answer.state === 'kept' ? 'kept' : 'stopped';
}

type Incoming = SupervisorMessage | 'timeout' | 'closed' | 'garbage';

/** Returns a function that waits for the next line. */
function readMessages(socket: net.Socket): (timeoutMs: number) => Promise<Incoming> {
  let buffered = '';
  const arrived: Incoming[] = [];
  let wake: (() => void) | undefined;
  const push = (message: Incoming) => {
    arrived.push(message);
    wake?.();
  };
  socket.on('data', (chunk) => {
    buffered += chunk.toString();
    const lines = buffered.split('\n');
    buffered = lines.pop() ?? '';
    for (const line of lines) push(parse(line));
  });
  socket.once('close', () => push('closed'));
  return async (timeoutMs) => {
    if (arrived.length === 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, timeoutMs);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    return arrived.shift() ?? 'timeout';
  };
}

function parse(line: string): Incoming {
  try {
    return JSON.parse(line) as SupervisorMessage;
  } catch {
    return 'garbage';
  }
}

// Detached: a Ctrl-C in the terminal reaches us, not the server we still need while draining.
function startSupervisor(plan: SupervisorPlan): ChildProcess {
  const log = openSync(plan.logFile, 'a', 0o600);
  const child = spawn(process.execPath, [...supervisorProgram(), JSON.stringify(plan)], {
    detached: true,
    stdio: ['ignore', log, log],
    cwd: '/',
    env: plan.env,
  });
  child.on('error', () => {});
  child.unref();
  return child;
}

// Built code runs as it is; from sources (development, tests) tsx translates it.
function supervisorProgram(): string[] {
  const own = fileURLToPath(import.meta.url);
  if (own.endsWith('.js'))
    return ['--max-old-space-size=32', fileURLToPath(new URL('./supervisor.js', import.meta.url))];
  const tsx = createRequire(import.meta.url).resolve('tsx');
  return ['--import', tsx, fileURLToPath(new URL('./supervisor.ts', import.meta.url))];
}

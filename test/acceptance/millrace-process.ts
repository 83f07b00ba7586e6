// The product as its users have it: the built command line as a process of its own, with an environment of its own.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { hear } from '../support/heard.ts';

export const root = fileURLToPath(new URL('../..', import.meta.url));
const built = path.join(root, 'dist/main/main.js');
/** A database that answers late on a busy machine is no trouble; tests that are about trouble set a limit of their own. */
const unhurried = { DATABASE_CONNECT_TIMEOUT_MS: '60000' };
let program = built;

/** From now on, until `cleanUp`, another copy of the product, such as one that was packed and installed. */
export function useProgram(file: string): void {
  program = file;
}

export type Environment = Readonly<Record<string, string>>;

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
}

export interface Server {
  readonly url: string;
  /** What it printed before it was ready, a line each. */
  readonly lines: readonly string[];
  readonly pid: number;
  readonly stderr: () => string;
  /** Sends the signal and waits for the end. */
  end(signal?: NodeJS.Signals): Promise<Ended>;
}

const children = new Set<ChildProcess>();
const homes: string[] = [];

/** An empty folder for an installation, gone when the test file is done (see `cleanUp`). */
export function makeHome(): string {
  const home = mkdtempSync(path.join(tmpdir(), 'millrace-acceptance-'));
  chmodSync(home, 0o755);
  homes.push(home);
  return home;
}

/** For afterAll: ends what a failed test left behind. */
export async function cleanUp(): Promise<void> {
  program = built;
  for (const child of children) child.kill('SIGKILL');
  await Promise.all([...children].map((child) => once(child, 'exit')));
  for (const home of homes.splice(0)) rmSync(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
}

export interface Limits {
  /** No file may grow larger. */
  readonly fileLimitKb?: number;
}

/** Runs a command to its end; kills it after `timeoutMs`, which shows as code null. */
export async function millrace(
  args: readonly string[],
  env: Environment = {},
  timeoutMs = 540_000,
  limits: Limits = {},
): Promise<Ended> {
  const running = launch(args, env, limits);
  const timer = setTimeout(() => running.child.kill('SIGKILL'), timeoutMs);
  const ended = await running.ended;
  clearTimeout(timer);
  return ended;
}

/** Starts a server command on a free port and waits until it says where it listens. */
export async function startServer(env: Environment, command = 'start'): Promise<Server> {
  const running = launch([command, '--port', '0'], env);
  const url = await new Promise<string>((resolve, reject) => {
    running.onOutput((stdout) => {
      const address = /^open\s+(\S+)$/m.exec(stdout)?.[1];
      if (address !== undefined && stdout.includes('sign in')) resolve(address);
    });
    void running.ended.then(({ code, stderr }) => reject(new Error(`it ended with ${code}: ${stderr}`)));
  });
  return {
    url,
    lines: running.stdout().trimEnd().split('\n'),
    pid: running.child.pid ?? 0,
    stderr: running.stderr,
    async end(signal = 'SIGTERM') {
      running.child.kill(signal);
      return running.ended;
    },
  };
}

/** Starts a process without the API and waits until it says where it serves /metrics. */
export async function startStatusProcess(command: string, env: Environment) {
  const running = launch([command], env);
  const url = await new Promise<string>((resolve, reject) => {
    running.onOutput((stdout) => {
      const address = /^metrics\s+(\S+)$/m.exec(stdout)?.[1];
      if (address !== undefined) resolve(address);
    });
    void running.ended.then(({ code, stderr }) => reject(new Error(`it ended with ${code}: ${stderr}`)));
  });
  return {
    url,
    async end() {
      running.child.kill('SIGTERM');
      return running.ended;
    },
  };
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function launch(args: readonly string[], env: Environment, { fileLimitKb }: Limits = {}) {
  const startedAt = performance.now();
  // The signal that goes with the limit is ignored, so that the write itself is refused.
  const limited = ['bash', '-c', `trap '' XFSZ; ulimit -f ${fileLimitKb}; exec "$@"`, 'bash'];
  const [command = '', ...rest] = [...(fileLimitKb === undefined ? [] : limited), process.execPath, program, ...args];
  const child = spawn(command, rest, {
    cwd: tmpdir(),
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...unhurried, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  let stdout = '';
  let stderr = '';
  let listener: (stdout: string) => void = () => {};
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    // Refused rows are asked for; nothing else that is printed may hold cells.
    if (args[0] !== 'rejects') hear(text);
    listener(stdout);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    hear(text);
  });
  const ended = once(child, 'close').then(([code]): Ended => {
    children.delete(child);
    return { code: code as number | null, stdout, stderr, ms: performance.now() - startedAt };
  });
  return {
    child,
    ended,
    stdout: () => stdout,
    stderr: () => stderr,
    onOutput(fn: (stdout: string) => void) {
      listener = fn;
    },
  };
}

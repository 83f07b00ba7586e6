// The frame of a long-running process: its configuration, its log, and the order in which it stops. Each role adds what it opens.
import type { Config } from '../platform/config.ts';
import { createLog, type Logger } from '../platform/log.ts';
import { createShutdown, type Shutdown } from '../platform/shutdown.ts';

export interface RoleProcess {
  readonly config: Config;
  readonly log: Logger;
  readonly shutdown: Shutdown;
}

/** What a role says of itself once it is up; the command line prints it. */
export interface Started {
  /** Where the data is: an embedded server's folder or host, port and name. Never a password. */
  readonly database: string;
  readonly schema: string;
  readonly url?: string;
  /** Of a process without the API. */
  readonly metricsUrl?: string;
  readonly login?: LoginHint;
}

/** Who can sign in first. The password is known only in the process that made the account. */
export type LoginHint =
  | { readonly kind: 'first'; readonly email: string; readonly oneTimePassword: string }
  | { readonly kind: 'known'; readonly email: string }
  | { readonly kind: 'off' }
  | { readonly kind: 'nobody' };

export function createRoleProcess(config: Config): RoleProcess {
  const log = createProcessLog(config);
  return { config, log, shutdown: createShutdown({ graceMs: graceMs(config), log }) };
}

/** For a command that does one thing: it says only what is wrong, and stopping it does not end the process. */
export function createToolProcess(config: Config): RoleProcess {
  const log = createProcessLog(config);
  if (log.level === 'info') log.level = 'warn';
  return { config, log, shutdown: createShutdown({ graceMs: graceMs(config), log, exit: () => {} }) };
}

/** Log lines go to standard error; standard output belongs to what the command says to a person. */
function createProcessLog({ logLevel: level, logFormat: format, logFilenames }: Config): Logger {
  return createLog({ level, format, logFilenames, fd: process.stderr.fd });
}

function graceMs(config: Config): number {
  return config.shutdownGraceSeconds * 1_000;
}

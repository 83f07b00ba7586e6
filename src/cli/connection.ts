// What a command works with: the API of a server, or the installation of this machine, opened for the length of the command. Opening
// either starts what lies above this layer, so the program says how it is done (`provideTools`) before it reads a command.
import type { ApiRequest, Client } from '../contract/api/client.ts';
import type { Role } from '../contract/api/roles.ts';
import type { Engine } from '../engine/engine.ts';
import type { Config } from '../platform/config.ts';
import type { Pool } from '../platform/database.ts';

export interface Connection {
  readonly call: Client;
  /** Calls a route that a pipeline of your own declares. */
  readonly request: ApiRequest;
  /** Where a person opens the console, when there is one. */
  readonly consoleUrl: string;
  /** Set when the command works on the database of this machine. */
  readonly tools?: Toolbox;
  /** The tenant it works in, where the command works on the database of this machine. */
  readonly tenantId?: string;
}

/** The installation that the configuration names. A server that runs on the same home or database is not disturbed. */
export interface Toolbox {
  readonly config: Config;
  /** Runs as millrace_app, or as the operator where a function says so. */
  readonly app: Pool;
  readonly engine: Engine;
}

export interface ConnectOptions {
  /** Name or id; needed only when there are several and no run tells. */
  readonly tenant?: string | undefined;
  /** The run the command is about: its tenant is meant. */
  readonly run?: string | undefined;
  readonly role?: Role;
  /** On a new installation the command makes the first tenant, as the first start does, and says how to sign in. */
  readonly makesFirstTenant?: boolean;
  /** On an installation without tenants the command makes one for itself and removes it again. */
  readonly makesTrialTenant?: boolean;
}

export interface CommandTools {
  withConnection<T>(options: ConnectOptions, work: (connection: Connection) => Promise<T>): Promise<T>;
  withToolbox<T>(work: (tools: Toolbox) => Promise<T>): Promise<T>;
}

let provided: CommandTools | undefined;

/** Once, by the program, before it reads a command. */
export function provideTools(tools: CommandTools): void {
  provided = tools;
}

export function withConnection<T>(options: ConnectOptions, work: (connection: Connection) => Promise<T>): Promise<T> {
  return requireTools().withConnection(options, work);
}

export function withToolbox<T>(work: (tools: Toolbox) => Promise<T>): Promise<T> {
  return requireTools().withToolbox(work);
}

function requireTools(): CommandTools {
  if (provided === undefined) throw new Error('the program has not said how commands connect');
  return provided;
}

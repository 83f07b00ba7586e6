// What the HTTP app is given. It opens nothing itself: pools, stores and the engine come from whoever starts the process.
import type { FastifyRequest } from 'fastify';
import type { Authenticator } from '../access/authenticate.ts';
import type { LoginLimits } from '../access/login-limits.ts';
import type { Principal } from '../access/principal.ts';
import type { Secrets } from '../access/secrets.ts';
import type { Engine } from '../engine/engine.ts';
import type { Pool } from '../platform/database.ts';
import type { Log } from '../platform/log.ts';
import type { Handlers } from './call.ts';
import type { Feed } from './live/feed.ts';
import type { RejectTools } from './rejects/reject-tools.ts';

export interface HttpSettings {
  readonly host: string;
  readonly port: number;
  readonly version: string;
  /** AUTH_ENABLED; false only on loopback. */
  readonly authEnabled: boolean;
  readonly jwtExpiryHours: number;
  readonly loginLimits: LoginLimits;
  /** Take the caller's address from X-Forwarded-For: only behind a proxy that sets it. */
  readonly trustProxy: boolean;
  readonly maxBodyBytes: number;
  /** How long a request without a file may take to arrive. */
  readonly receiveTimeoutMs: number;
  /** Bearer token that /metrics asks for; unset: open on loopback, closed elsewhere. */
  readonly metricsToken?: string;
  /** Folder of the built console; unset or missing: a plain page instead. */
  readonly consoleFolder?: string;
}

export const defaultHttpSettings: HttpSettings = {
  host: '127.0.0.1',
  port: 8080,
  version: '0.0.0',
  authEnabled: true,
  jwtExpiryHours: 24,
  loginLimits: { windowSeconds: 900, perAccountAndAddress: 10, perAccount: 50, perAddress: 100 },
  trustProxy: false,
  maxBodyBytes: 1024 * 1024,
  receiveTimeoutMs: 30_000,
};

/** One thing that must answer before the process takes requests. Returns a word about it, or throws. */
export type ReadyCheck = () => Promise<string | undefined>;

export interface AppDeps {
  readonly settings: HttpSettings;
  readonly log: Log;
  /** Runs as millrace_app. */
  readonly pool: Pool;
  readonly secrets: Secrets;
  readonly engine?: Engine;
  /** What pipelines know about correcting their refused rows, by pipeline. */
  readonly rejectTools?: Readonly<Record<string, RejectTools>>;
  /** How pipelines are called and which file extensions they take, for the console. */
  readonly pipelineNotes?: Readonly<Record<string, { readonly title: string; readonly accepts: string[] }>>;
  /** Made from pool and secrets when left out. */
  readonly authenticator?: Authenticator;
  /** Beside the database, which is always checked: migrations, blob store. */
  readonly readyChecks?: Readonly<Record<string, ReadyCheck>>;
  /** Operations that pipelines and the engine bring; they win over the built-in ones. */
  readonly handlers?: Handlers;
}

/** What handlers see: everything given, with the gaps filled. */
export interface AppContext extends AppDeps {
  readonly authenticator: Authenticator;
  /** Set in a process that has an engine. */
  readonly feed?: Feed;
  /** Asks again whether a request that is still open (a stream) may stay open. */
  isStillAllowed(request: FastifyRequest, principal: Principal): Promise<boolean>;
}

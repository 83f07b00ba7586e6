// What handlers and plugins see of the process they run in. The app opens nothing itself: pools, stores and the engine come from
// the role that starts the process.
import type { FastifyRequest } from 'fastify';
import type { Authenticator } from '../access/authenticate.ts';
import type { Principal } from '../access/principal.ts';
import type { Secrets } from '../access/secrets.ts';
import type { Engine } from '../engine/engine.ts';
import type { Pool } from '../platform/database.ts';
import type { Log } from '../platform/log.ts';
import type { HttpSettings } from './http-settings.ts';
import type { Feed } from './live/feed.ts';
import type { PipelinePartsByName } from './pipeline-parts.ts';

/** One thing that must answer before the process takes requests. Returns a word about it, or throws. */
export type ReadyCheck = () => Promise<string | undefined>;

export interface AppParts {
  readonly settings: HttpSettings;
  readonly log: Log;
  /** Runs as millrace_app. */
  readonly pool: Pool;
  readonly secrets: Secrets;
  readonly engine?: Engine;
  /** What pipelines bring, by their names. */
  readonly pipelines?: PipelinePartsByName;
  /** Made from pool and secrets when left out. */
  readonly authenticator?: Authenticator;
  /** Beside the database, which is always checked: migrations, blob store. */
  readonly readyChecks?: Readonly<Record<string, ReadyCheck>>;
  /** Whether accepted work moves on: degraded when it does not, still ready. */
  readonly workChecks?: Readonly<Record<string, ReadyCheck>>;
}

/** What handlers see: everything given, with the gaps filled. */
export interface AppContext extends AppParts {
  readonly authenticator: Authenticator;
  /** Set in a process that has an engine. */
  readonly feed?: Feed;
  /** Asks again whether a request that is still open (a stream) may stay open. */
  isStillAllowed(request: FastifyRequest, principal: Principal): Promise<boolean>;
}

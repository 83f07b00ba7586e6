// Which database this process works on: the one DATABASE_URL names, or the embedded one under MILLRACE_HOME.
import type { Pooler } from './database.ts';
import { appLogin, startEmbeddedPostgres } from './embedded-postgres.ts';
import type { Log } from './log.ts';

export interface DatabaseConfig {
  /** Connection string of the application's login; unset means the embedded server. */
  readonly databaseUrl?: string | undefined;
  /** Connection string of a user who may migrate, when the application's login may not. */
  readonly databaseMigrationUrl?: string | undefined;
  /** The server itself, where `databaseUrl` names a pooler. */
  readonly databaseDirectUrl?: string | undefined;
  readonly databasePooler?: Pooler | undefined;
  /** The folder of this installation. */
  readonly home: string;
}

export interface OpenDatabase {
  readonly kind: 'embedded' | 'external';
  /** For migrations. */
  readonly adminUrl: string;
  /** For everything else; its pools name the role they run as. */
  readonly appUrl: string;
  /** As the application's login, past any pooler: for what needs a session of its own. */
  readonly directUrl: string;
  readonly pooler: Pooler;
  /** The login of `appUrl`, to whom migrations grant their roles. */
  readonly appLogin: string;
  stop(): Promise<void>;
}

export async function openDatabase(config: DatabaseConfig, log: Log): Promise<OpenDatabase> {
  if (config.databaseUrl !== undefined) {
    return {
      kind: 'external',
      adminUrl: config.databaseMigrationUrl ?? config.databaseDirectUrl ?? config.databaseUrl,
      appUrl: config.databaseUrl,
      directUrl: config.databaseDirectUrl ?? config.databaseUrl,
      pooler: config.databasePooler ?? 'none',
      appLogin: loginOf(config.databaseUrl),
      async stop() {},
    };
  }
  const { adminUrl, appUrl, stop } = await startEmbeddedPostgres({ home: config.home, log });
  return { kind: 'embedded', adminUrl, appUrl, directUrl: appUrl, pooler: 'none', appLogin, stop };
}

function loginOf(url: string): string {
  return decodeURIComponent(new URL(url).username);
}

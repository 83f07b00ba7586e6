// Which database this process works on: the one DATABASE_URL names, or the embedded one under MILLRACE_HOME.
import { appLogin, startEmbeddedPostgres } from './embedded-postgres.ts';
import type { Log } from './log.ts';

export interface DatabaseConfig {
  /** Connection string of the application's login; unset means the embedded server. */
  readonly databaseUrl?: string | undefined;
  /** Connection string of a user who may migrate, when the application's login may not. */
  readonly databaseMigrationUrl?: string | undefined;
  /** The folder of this installation. */
  readonly home: string;
}

export interface OpenDatabase {
  readonly kind: 'embedded' | 'external';
  /** For migrations. */
  readonly adminUrl: string;
  /** For everything else; its pools name the role they run as. */
  readonly appUrl: string;
  /** The login of `appUrl`, to whom migrations grant their roles. */
  readonly appLogin: string;
  stop(): Promise<void>;
}

export async function openDatabase(config: DatabaseConfig, log: Log): Promise<OpenDatabase> {
  if (config.databaseUrl !== undefined) {
    return {
      kind: 'external',
      adminUrl: config.databaseMigrationUrl ?? config.databaseUrl,
      appUrl: config.databaseUrl,
      appLogin: loginOf(config.databaseUrl),
      async stop() {},
    };
  }
  const { adminUrl, appUrl, stop } = await startEmbeddedPostgres({ home: config.home, log });
  return { kind: 'embedded', adminUrl, appUrl, appLogin, stop };
}

function loginOf(url: string): string {
  return decodeURIComponent(new URL(url).username);
}

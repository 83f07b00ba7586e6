// The connection of whoever changes the schema: migrations, and what pipelines of one's own prepare. One at a time in a database;
// several processes that start at once wait for each other here. Ending it gives the place back.
import type pg from 'pg';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import { connectClient } from './database.ts';

export interface SchemaClient {
  readonly client: pg.Client;
  readonly serverVersion: number;
}

/** A backfill may take its time. */
const statementMs = 24 * 3_600_000;
const oldestServer = 150_000;
const firstWithTransactionTimeout = 170_000;

export async function connectForSchema(url: string): Promise<SchemaClient> {
  const client = await connectClient({
    url,
    applicationName: 'millrace-migrate',
    connectTimeoutMs: 10_000,
    answerWithinMs: statementMs,
    // Limits that the database or the owner has as a default are meant for requests.
    statementTimeoutMs: 0,
    idleInTransactionTimeoutMs: 0,
    sessionSettings: { lock_timeout: '0' },
  });
  try {
    const serverVersion = await requireServerVersion(client);
    if (serverVersion >= firstWithTransactionTimeout) await client.query('set transaction_timeout = 0');
    await client.query(`select pg_advisory_lock(hashtext('millrace.migrate'))`);
    return { client, serverVersion };
  } catch (error) {
    await client.end();
    throw error;
  }
}

/** For the next attempt: whatever the one before left open is taken back, and no statement waits longer than this for a lock. */
export async function limitLocks(client: pg.Client, lockTimeoutMs: number): Promise<void> {
  await client.query(`rollback; set lock_timeout = ${Math.round(lockTimeoutMs)}`);
}

async function requireServerVersion(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ number: number; text: string }>(
    `select current_setting('server_version_num')::int as number, current_setting('server_version') as text`,
  );
  const version = rows[0]?.number ?? 0;
  if (version < oldestServer) throw new MillraceError('database_too_old', { version: rows[0]?.text ?? 'unknown' });
  return version;
}

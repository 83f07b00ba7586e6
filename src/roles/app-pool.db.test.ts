// The connections of requests have limits on the server too: a process that is frozen within a transaction must not keep its locks.
import { expect, it } from 'vitest';
import { useDatabase } from '../../test/support/database.ts';
import { loadConfig } from '../platform/config.ts';
import { silentLog } from '../platform/log.ts';
import { openDatabase } from '../platform/open-database.ts';
import { createAppPool } from './app-pool.ts';

const db = useDatabase();

it('a request has a limit for each statement and for each pause within a transaction', async () => {
  const config = loadConfig({ DATABASE_URL: db.appUrl, DATABASE_STATEMENT_TIMEOUT_MS: '7000' });
  const pool = createAppPool(config, await openDatabase(config, silentLog), silentLog);
  try {
    const { rows } = await pool.query(
      `select current_user::text as role, current_setting('statement_timeout') as statement,
              current_setting('idle_in_transaction_session_timeout') as idle`,
    );
    expect(rows).toEqual([{ role: 'millrace_app', statement: '7s', idle: '5min' }]);
  } finally {
    await pool.end();
  }
});

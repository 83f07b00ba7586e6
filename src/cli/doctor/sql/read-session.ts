// What a session really runs with, whatever stands between us and the server.
import type { Queryable } from '../../../platform/database.ts';

export interface SessionSigns {
  readonly role: string;
  readonly statement_timeout: string;
  readonly idle_timeout: string;
  readonly isolation: string;
}

export async function readSession(db: Queryable): Promise<SessionSigns> {
  const { rows } = await db.query<SessionSigns>(
    `select current_user::text as role, current_setting('statement_timeout') as statement_timeout,
            current_setting('idle_in_transaction_session_timeout') as idle_timeout,
            current_setting('transaction_isolation') as isolation`,
  );
  return rows[0] as SessionSigns;
}

// The smallest question to the database.
import type { Queryable } from '../../platform/database.ts';

export async function ping(db: Queryable): Promise<void> {
  await db.query({ name: 'http-ping', text: 'select 1' });
}

import type { Queryable } from '../../../platform/database.ts';

/** For the rest of the transaction only the cleanup's rights. */
export async function becomeCleanup(db: Queryable): Promise<void> {
  await db.query({ name: 'ads-become-cleanup', text: `select set_config('role', 'ads_cleanup', true)` });
}

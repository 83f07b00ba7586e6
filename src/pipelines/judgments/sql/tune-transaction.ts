import type { Queryable } from '../../../platform/database.ts';

/** Sorts and hashes of a whole range stay in memory; the default of 4 MB sends them to disk. */
export async function tuneTransaction(db: Queryable): Promise<void> {
  await db.query({
    name: 'judgments-tune-transaction',
    text: `select set_config('work_mem', '64MB', true), set_config('jit', 'off', true)`,
  });
}

import type { Queryable } from '../../../platform/database.ts';

/**
 * Sorts and hashes of a whole range stay in memory; the default of 4 MB sends them to disk. Staged rows are seconds old and have no
 * statistics, so the planner is told: look-ups by key are lateral and can only be index scans, everything else is joined by hash,
 * and no plan is kept from when the tables were small.
 */
export async function tuneTransaction(db: Queryable): Promise<void> {
  await db.query({
    name: 'judgments-tune-transaction',
    text: `
      select set_config('work_mem', '64MB', true), set_config('jit', 'off', true), set_config('enable_nestloop', 'off', true),
             set_config('enable_mergejoin', 'off', true), set_config('plan_cache_mode', 'force_custom_plan', true)`,
  });
}

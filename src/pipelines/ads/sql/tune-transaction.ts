import type { Queryable } from '../../../platform/database.ts';

/** Sorts and hashes of a whole upload stay in memory; the default of 4 MB sends them to disk. */
export async function tuneTransaction(db: Queryable): Promise<void> {
  await db.query({
    name: 'ads-tune-transaction',
    text: `select set_config('work_mem', '64MB', true), set_config('jit', 'off', true)`,
  });
}

/**
 * For promotion: staged rows are minutes old and have no statistics, so the planner would guess. Look-ups by key are written as lateral
 * joins and can only be index scans; everything else is joined and grouped by hash, and sorted only where an order is asked for. Without this a load fell from 3 s to 52 s. Planned for every batch:
 * a plan kept from when the table was small read a day's rows for each of today's, three seconds for 16,000 rows.
 */
export async function fixPlan(db: Queryable): Promise<void> {
  await db.query({
    name: 'ads-fix-plan',
    text: `
      select set_config('enable_nestloop', 'off', true), set_config('enable_mergejoin', 'off', true),
             set_config('enable_seqscan', 'off', true), set_config('enable_sort', 'off', true), set_config('plan_cache_mode', 'force_custom_plan', true)`,
  });
}

import type { Queryable } from '../../../platform/database.ts';

/** For the rest of the transaction: a search that takes too long ends, and no plan reads whole tables, whatever the statistics say. */
export async function limitSearch(db: Queryable, timeoutMs: number): Promise<void> {
  await db.query({
    name: 'search-limit',
    text: `select set_config('statement_timeout', $1, true), set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true),
                  set_config('enable_bitmapscan', 'on', true)`,
    values: [String(timeoutMs)],
  });
}

// For the rest of the transaction pages are read in the order of an index, from where they begin to where they end. The statistics of a new table make
// the planner gather everything behind the beginning and sort it, page after page.
import type { Queryable } from '../../../platform/database.ts';

export async function keepIndexOrder(db: Queryable): Promise<void> {
  await db.query({
    name: 'sources-keep-index-order',
    text: `select set_config('enable_sort', 'off', true), set_config('enable_bitmapscan', 'off', true), set_config('enable_seqscan', 'off', true)`,
  });
}

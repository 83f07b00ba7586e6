import type { Queryable } from '../../../platform/database.ts';

/**
 * For the rest of the transaction rows are looked up by an index. All rows of one version are asked for by its id, and a server whose
 * statistics are from the day when there was but one version takes that for the whole table.
 */
export async function lookUpByIndex(tx: Queryable): Promise<void> {
  await tx.query({
    name: 'documents-look-up-by-index',
    text: `select set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true)`,
  });
}

/**
 * For the rest of the transaction pages come in the order of an index. Of a version that statistics do not know the server expects a single
 * chunk, and a single one is as cheap to sort: for a page of twenty it sorted all 15,000.
 */
export async function readInOrder(tx: Queryable): Promise<void> {
  await tx.query({
    name: 'documents-read-in-order',
    text: `select set_config('enable_sort', 'off', true)`,
  });
}

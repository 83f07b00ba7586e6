import type { Queryable } from '../../../platform/database.ts';

/**
 * For the rest of the transaction the index that has the order is taken. Of a job that statistics do not know yet the server expects one row, and one row looks sorted as quickly as
 * read in order: then a page of a rare status would be sorted out of millions.
 */
export async function inOrderOfIndex(db: Queryable): Promise<void> {
  await db.query('set local enable_sort = off');
}

import type { Queryable } from '../../../platform/database.ts';

/** Of whichever tenant, the oldest first; as documents_cleanup. */
export async function deleteOldQueries(tx: Queryable, days: number, limit: number): Promise<number> {
  const { rowCount } = await tx.query({
    name: 'search-delete-old-queries',
    text: `
      delete from public.queries q
      where q.query_id in (
        select o.query_id from public.queries o where o.created_at < engine.now() - make_interval(days => $1) order by o.created_at limit $2)`,
    values: [days, limit],
  });
  return rowCount ?? 0;
}

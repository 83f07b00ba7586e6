import type { Queryable } from '../../../platform/database.ts';

/** Of whichever tenant, the oldest first; as documents_cleanup. */
export async function deleteOldQueries(tx: Queryable, before: Date, limit: number): Promise<number> {
  const old = await listOldQueries(tx, before, limit);
  let gone = 0;
  for (const { tenant_id: tenantId, query_ids: ids } of old) gone += await deleteQueries(tx, tenantId, ids);
  return gone;
}

async function listOldQueries(
  tx: Queryable,
  before: Date,
  limit: number,
): Promise<{ tenant_id: string; query_ids: string[] }[]> {
  const { rows } = await tx.query<{ tenant_id: string; query_ids: string[] }>({
    name: 'search-list-old-queries',
    text: `
      select o.tenant_id, array_agg(o.query_id::text) as query_ids
      from (select q.tenant_id, q.query_id from public.queries q
            where q.created_at < $1
            order by q.created_at
            limit $2) o
      group by o.tenant_id`,
    values: [before, limit],
  });
  return rows;
}

export async function deleteQueries(tx: Queryable, tenantId: string, ids: readonly string[]): Promise<number> {
  const { rowCount } = await tx.query({
    name: 'search-delete-queries',
    text: `delete from public.queries q where q.tenant_id = $1 and q.query_id = any ($2::uuid[])`,
    values: [tenantId, ids],
  });
  return rowCount ?? 0;
}

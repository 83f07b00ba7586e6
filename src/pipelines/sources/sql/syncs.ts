// Which syncs a source has had: the newest of each. Older ones are in the ledger alone.
import type { Queryable } from '../../../platform/database.ts';
import { keepIndexOrder } from './keep-index-order.ts';

export async function recordSync(db: Queryable, tenantId: string, sourceId: string, syncId: string): Promise<void> {
  await db.query({
    name: 'sources-record-sync',
    text: `insert into public.source_syncs (tenant_id, source_id, sync_id) values ($1, $2, $3) on conflict do nothing`,
    values: [tenantId, sourceId, syncId],
  });
}

/** Removes syncs behind the newest `kept`, at most `limit` of them and the oldest first: ids of syncs rise with time. */
export async function forgetSyncs(
  db: Queryable,
  tenantId: string,
  sourceId: string,
  { kept, limit }: { readonly kept: number; readonly limit: number },
): Promise<number> {
  await keepIndexOrder(db);
  const { rowCount } = await db.query({
    name: 'sources-forget-syncs',
    text: `
      delete from public.source_syncs y
      where y.tenant_id = $1 and y.source_id = $2 and y.sync_id = any (array(
        select x.sync_id from public.source_syncs x
        where x.tenant_id = $1 and x.source_id = $2 and x.sync_id < (
          select k.sync_id from public.source_syncs k
          where k.tenant_id = $1 and k.source_id = $2
          order by k.sync_id desc
          offset $3::int - 1 limit 1)
        order by x.sync_id
        limit $4))`,
    values: [tenantId, sourceId, kept, limit],
  });
  return rowCount ?? 0;
}

/** How far it is, for those who watch. */
export async function noteCounts(
  db: Queryable,
  tenantId: string,
  sourceId: string,
  syncId: string,
  counts: object,
): Promise<void> {
  await db.query({
    name: 'sources-note-counts',
    text: `update public.source_syncs y set counts = $4 where y.tenant_id = $1 and y.source_id = $2 and y.sync_id = $3`,
    values: [tenantId, sourceId, syncId, JSON.stringify(counts)],
  });
}

export interface BegunSync {
  readonly source_id: string;
  readonly sync_id: string;
  readonly counts: Readonly<Record<string, number>> | null;
}

/** The newest of each source: ids of syncs rise with time. */
export async function listNewestSyncs(
  db: Queryable,
  tenantId: string,
  sourceIds: readonly string[],
  limit: number,
): Promise<BegunSync[]> {
  const { rows } = await db.query<BegunSync>({
    name: 'sources-newest-syncs',
    text: `
      select y.source_id, y.sync_id, y.counts
      from unnest($2::uuid[]) as wanted (id)
      cross join lateral (
        select x.source_id, x.sync_id, x.counts from public.source_syncs x
        where x.tenant_id = $1 and x.source_id = wanted.id
        order by x.sync_id desc
        limit $3
      ) y`,
    values: [tenantId, sourceIds, limit],
  });
  return rows;
}

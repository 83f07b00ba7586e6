// Which bytes may go. Both statements only mark; whoever calls them removes the bytes afterwards.
import type { Queryable } from '../../../platform/database.ts';

export interface MarkedBlobRow {
  readonly blob_id: string;
  readonly store_key: string;
}

/**
 * Marks blobs that no run has ever used and that are older than the clean-up time. Locked rows are another sweeper's.
 * Marked before the bytes go: a kill in between leaves bytes without a live row, which the sweep of the store finds.
 */
export async function markUnusedBlobs(db: Queryable, ttlHours: number, limit: number): Promise<MarkedBlobRow[]> {
  const { rows } = await db.query<MarkedBlobRow>({
    name: 'mark-unused-blobs',
    text: `
      with unused as (
        select b.blob_id
        from engine.blobs b
        where b.deleted_at is null
          and b.created_at < (select engine.now()) - make_interval(secs => $1::double precision * 3600)
          and (select true from engine.all_runs r where r.blob_id = b.blob_id limit 1) is null
        order by b.created_at
        limit $2
        for update skip locked
      )
      update engine.blobs b
      set deleted_at = engine.now()
      where b.blob_id = any (array(select blob_id from unused))
      returning b.blob_id, b.store_key`,
    values: [ttlHours, limit],
  });
  return rows;
}

/** Marks blobs whose time is over: every run that used them has ended and none of those runs still has rejects. */
export async function markExpiredBlobs(db: Queryable, limit: number): Promise<MarkedBlobRow[]> {
  const { rows } = await db.query<MarkedBlobRow>({
    name: 'mark-expired-blobs',
    text: `
      with expired as (
        select b.blob_id
        from engine.blobs b
        where b.deleted_at is null
          and b.keep_until < (select engine.now())
          and (
            select true
            from (select id, finished_at from engine.all_runs where blob_id = b.blob_id offset 0) r
            where r.finished_at is null or (select true from engine.rejects j where j.run_id = r.id limit 1)
            limit 1
          ) is null
        order by b.keep_until
        limit $1
        for update skip locked
      )
      update engine.blobs b
      set deleted_at = engine.now()
      where b.blob_id = any (array(select blob_id from expired))
      returning b.blob_id, b.store_key`,
    values: [limit],
  });
  return rows;
}

// Marks blobs whose bytes may be deleted. Both statements only mark; their caller deletes the bytes afterwards. Neither reads a file in use at every
// sweep: the first statement records that it found a run, and the second looks again after a day.
import type { Queryable } from '../../../platform/database.ts';

export interface MarkedBlobRow {
  readonly blob_id: string;
  readonly store_key: string;
}

export interface Marked {
  /** How many were looked at; fewer than the limit: there are no more. */
  readonly looked: number;
  readonly rows: readonly MarkedBlobRow[];
}

type MarkedRow = { readonly looked: number } & { readonly [column in keyof MarkedBlobRow]: string | null };

/**
 * Marks blobs that no run has ever used and that are older than the clean-up time. Locked rows are another sweeper's.
 * Marked before the bytes go: a kill in between leaves bytes without a live row, which the sweep of the store finds.
 */
export async function markUnusedBlobs(db: Queryable, ttlHours: number, limit: number): Promise<Marked> {
  const { rows } = await db.query<MarkedRow>({
    name: 'mark-unused-blobs',
    text: `
      with looked as materialized (
        select b.blob_id, (select true from engine.all_runs r where r.blob_id = b.blob_id limit 1) is not null as is_used
        from engine.blobs b
        where b.deleted_at is null and not b.is_used
          and b.created_at < (select engine.now()) - make_interval(secs => $1::double precision * 3600)
        order by b.created_at
        limit $2
        for update skip locked
      ),
      known as (
        update engine.blobs b set is_used = true
        where b.blob_id = any (array(select blob_id from looked where is_used))
      ),
      marked as (
        update engine.blobs b set deleted_at = engine.now()
        where b.blob_id = any (array(select blob_id from looked where not is_used))
        returning b.blob_id, b.store_key
      )
      select c.looked, m.blob_id, m.store_key
      from (select count(*)::int as looked from looked) c left join marked m on true`,
    values: [ttlHours, limit],
  });
  return markedOf(rows);
}

/**
 * Marks blobs whose time is over: every run that used them has ended and none of those runs still has rejects. The others are kept for another
 * day, and then looked at again.
 */
export async function markExpiredBlobs(db: Queryable, limit: number): Promise<Marked> {
  const { rows } = await db.query<MarkedRow>({
    name: 'mark-expired-blobs',
    text: `
      with looked as materialized (
        select b.blob_id, (
          select true
          from (select id, finished_at from engine.all_runs where blob_id = b.blob_id offset 0) r
          where r.finished_at is null or (select true from engine.rejects j where j.run_id = r.id limit 1)
          limit 1
        ) is not null as is_needed
        from engine.blobs b
        where b.deleted_at is null and b.keep_until < (select engine.now())
        order by b.keep_until
        limit $1
        for update skip locked
      ),
      kept as (
        update engine.blobs b set keep_until = engine.now() + interval '1 day'
        where b.blob_id = any (array(select blob_id from looked where is_needed))
      ),
      marked as (
        update engine.blobs b set deleted_at = engine.now()
        where b.blob_id = any (array(select blob_id from looked where not is_needed))
        returning b.blob_id, b.store_key
      )
      select c.looked, m.blob_id, m.store_key
      from (select count(*)::int as looked from looked) c left join marked m on true`,
    values: [limit],
  });
  return markedOf(rows);
}

/** Nothing marked is one row with the count alone. */
function markedOf(rows: readonly MarkedRow[]): Marked {
  return {
    looked: rows[0]?.looked ?? 0,
    rows: rows.flatMap(({ blob_id, store_key }) =>
      blob_id === null || store_key === null ? [] : [{ blob_id, store_key }],
    ),
  };
}

import type { Queryable } from '../../../platform/database.ts';

/** Removes rows whose bytes went long ago and that no run of the ledger names any more. */
export async function forgetBlobs(db: Queryable, afterDays: number, limit: number): Promise<number> {
  const { rowCount } = await db.query({
    name: 'forget-blobs',
    text: `
      delete from engine.blobs
      where blob_id = any (array(
        select b.blob_id
        from engine.blobs b
        where b.deleted_at < (select engine.now()) - make_interval(days => $1)
          and (select true from engine.all_runs r where r.blob_id = b.blob_id limit 1) is null
        limit $2
        for update skip locked
      ))`,
    values: [afterDays, limit],
  });
  return rowCount ?? 0;
}

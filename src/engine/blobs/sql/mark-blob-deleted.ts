import type { Queryable } from '../../../platform/database.ts';

/** Marks one blob that no run uses, at once; says whether it did. */
export async function markBlobDeleted(db: Queryable, blobId: string): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'mark-blob-deleted',
    text: `
      update engine.blobs b
      set deleted_at = engine.now()
      where b.blob_id = $1
        and b.deleted_at is null
        and not exists (select from engine.all_runs r where r.blob_id = b.blob_id)`,
    values: [blobId],
  });
  return rowCount === 1;
}

import type { Queryable } from '../../../platform/database.ts';

/** Keeps a blob for at least so many days from now; never shortens. */
export async function extendBlobKeep(db: Queryable, blobId: string, days: number): Promise<void> {
  await db.query({
    name: 'extend-blob-keep',
    text: `
      update engine.blobs
      set keep_until = greatest(keep_until, engine.now() + make_interval(days => $2))
      where blob_id = $1 and deleted_at is null`,
    values: [blobId, days],
  });
}

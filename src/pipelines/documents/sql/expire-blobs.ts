import type { Queryable } from '../../../platform/database.ts';

/** Bytes of a purged document: marked as gone for everybody at once. Returns where they lie, to be removed after the commit. */
export async function expireBlobs(tx: Queryable, blobs: readonly string[]): Promise<string[]> {
  const { rows } = await tx.query<{ store_key: string }>({
    name: 'documents-expire-blobs',
    text: `
      update engine.blobs b set deleted_at = engine.now()
      where b.blob_id = any ($1::uuid[]) and b.deleted_at is null
      returning b.store_key`,
    values: [blobs],
  });
  return rows.map(({ store_key }) => store_key);
}

import type { Queryable } from '../../../platform/database.ts';

export interface BlobRow {
  readonly blob_id: string;
  readonly tenant_id: string;
  readonly store_key: string;
  readonly sha256: Buffer;
  readonly bytes: number;
  readonly media_type: string;
  readonly format: string;
  readonly original_name: string;
  readonly created_by: string | null;
  readonly created_at: Date;
  readonly keep_until: Date;
  readonly deleted_at: Date | null;
}

export async function selectBlob(db: Queryable, blobId: string): Promise<BlobRow | undefined> {
  const { rows } = await db.query<BlobRow>({
    name: 'select-blob',
    text: `
      select blob_id, tenant_id, store_key, sha256, bytes, media_type, format, original_name, created_by,
             created_at, keep_until, deleted_at
      from engine.blobs
      where blob_id = $1`,
    values: [blobId],
  });
  return rows[0];
}

import type { Queryable } from '../../../platform/database.ts';

export interface NewBlob {
  readonly blobId: string;
  readonly tenantId: string;
  readonly storeKey: string;
  readonly sha256: Buffer;
  readonly bytes: number;
  readonly mediaType: string;
  readonly format: string;
  readonly originalName: string;
  readonly createdBy: string | undefined;
  readonly keepDays: number;
}

/** Repeating it with the same id changes nothing, so a caller unsure of its commit may ask again. */
export async function insertBlob(db: Queryable, blob: NewBlob): Promise<void> {
  await db.query({
    name: 'insert-blob',
    text: `
      insert into engine.blobs (
        blob_id, tenant_id, store_key, sha256, bytes, media_type, format, original_name, created_by, stored_at, keep_until
      )
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, engine.now(), engine.now() + make_interval(days => $10))
      on conflict (blob_id) do nothing`,
    values: [
      blob.blobId,
      blob.tenantId,
      blob.storeKey,
      blob.sha256,
      blob.bytes,
      blob.mediaType,
      blob.format,
      blob.originalName,
      blob.createdBy ?? null,
      blob.keepDays,
    ],
  });
}

// The rows of stored bytes. A caller records a row after the bytes are durable; the row stays as long as a run needs the bytes.

import { parseBlobKey } from '../../platform/blob/blob-key.ts';
import type { BlobStore } from '../../platform/blob/blob-store.ts';
import type { Queryable } from '../../platform/database.ts';
import { insertBlob } from './sql/insert-blob.ts';
import { markBlobDeleted } from './sql/mark-blob-deleted.ts';
import { type BlobRow, selectBlob } from './sql/select-blob.ts';
import { selectSameBytes } from './sql/select-same-bytes.ts';
import type { StoredFile } from './store-file.ts';

/** Blobs outlive their runs as long as rejects do. */
const defaultKeepDays = 90;

export type Blob = BlobRow;

export async function recordBlob(
  db: Queryable,
  file: StoredFile,
  options: { readonly createdBy?: string | undefined; readonly keepDays?: number } = {},
): Promise<void> {
  await insertBlob(db, { ...file, createdBy: options.createdBy, keepDays: options.keepDays ?? defaultKeepDays });
}

/** The row, also of a blob whose bytes are gone (`deleted_at`). */
export async function findBlob(db: Queryable, blobId: string): Promise<Blob | undefined> {
  return selectBlob(db, blobId);
}

/** The earliest run of the tenant that was handed exactly these bytes, if there was one before. */
export async function findSameBytes(
  db: Queryable,
  file: Pick<StoredFile, 'tenantId' | 'sha256' | 'blobId'>,
): Promise<{ readonly runId: string; readonly blobId: string } | undefined> {
  const row = await selectSameBytes(db, file);
  return row === undefined ? undefined : { runId: row.run_id, blobId: row.blob_id };
}

/** Takes back a file that was refused after it was stored. A blob that a run uses stays. */
export async function discardFile(
  db: Queryable,
  store: BlobStore,
  file: Pick<StoredFile, 'blobId' | 'storeKey'>,
): Promise<void> {
  const wasRecorded = (await findBlob(db, file.blobId)) !== undefined;
  if (wasRecorded && !(await markBlobDeleted(db, file.blobId))) return;
  await store.delete(parseBlobKey(file.storeKey));
}

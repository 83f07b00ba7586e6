// The bytes of an upload, as its stages read them.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { findBlob } from '../../engine/blobs/blobs.ts';
import type { StageContext } from '../../engine/stage-context.ts';
import type { BlobStore } from '../../platform/blob/blob-store.ts';
import { blobSource } from '../../tabular/blob-source.ts';
import type { ByteSource } from '../../tabular/byte-source.ts';
import type { AdsInput } from './input.ts';

export async function openBlob(
  context: StageContext<AdsInput>,
  deps: { readonly store: BlobStore; readonly batchBytes?: number },
): Promise<ByteSource> {
  const { blobId } = context.run;
  const blob = blobId === null ? undefined : await context.commit((tx) => findBlob(tx, blobId));
  if (blob === undefined || blob.deleted_at !== null)
    throw new MillraceError('upload_file_gone', { run: context.run.id });
  return blobSource(deps.store, blob, deps.batchBytes);
}

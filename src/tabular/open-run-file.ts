// The file of a run, as its stages read it.
import { MillraceError } from '../contract/errors/millrace-error.ts';
import { findBlob } from '../engine/blobs/blobs.ts';
import type { StageContext } from '../engine/stage-context.ts';
import type { BlobStore } from '../platform/blob/blob-store.ts';
import { blobSource } from './blob-source.ts';
import type { ByteSource } from './byte-source.ts';

/** `batchBytes`: see `blobSource`. */
export async function openRunFile(
  { run, commit }: Pick<StageContext<unknown>, 'run' | 'commit'>,
  { store, batchBytes }: { readonly store: BlobStore; readonly batchBytes?: number },
): Promise<ByteSource> {
  const { blobId } = run;
  const blob = blobId === null ? undefined : await commit((tx) => findBlob(tx, blobId));
  if (blob === undefined || blob.deleted_at !== null) throw new MillraceError('upload_file_gone', { run: run.id });
  return blobSource(store, blob, batchBytes);
}

// The file of a run in memory, for stages of small files. Large ones are read as streams.
import { buffer } from 'node:stream/consumers';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { parseBlobKey } from '../../platform/blob/blob-key.ts';
import type { BlobStore } from '../../platform/blob/blob-store.ts';
import type { StageContext } from '../stage-context.ts';
import { findBlob } from './blobs.ts';

export async function readFileOf(context: Pick<StageContext, 'run' | 'commit'>, store: BlobStore): Promise<Buffer> {
  const { id, blobId } = context.run;
  const blob = blobId === null ? undefined : await context.commit((tx) => findBlob(tx, blobId));
  if (blob === undefined || blob.deleted_at !== null) throw new MillraceError('upload_file_gone', { run: id });
  return buffer(await store.get(parseBlobKey(blob.store_key)));
}

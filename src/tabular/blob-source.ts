// Gives the readers of tables the bytes of a stored blob.
import type { Blob } from '../engine/blobs/blobs.ts';
import { parseBlobKey } from '../platform/blob/blob-key.ts';
import type { BlobStore } from '../platform/blob/blob-store.ts';
import type { ByteSource } from './byte-source.ts';

/** `chunkBytes`: pieces are never larger; tests give small ones, so that a small file has many batches. */
export function blobSource(
  store: BlobStore,
  blob: Pick<Blob, 'store_key' | 'bytes'>,
  chunkBytes = Number.MAX_SAFE_INTEGER,
): ByteSource {
  const key = parseBlobKey(blob.store_key);
  return {
    size: blob.bytes,
    async *open(start, end = blob.bytes) {
      if (start >= end) return;
      let left = end - start;
      for await (const chunk of await store.get(key, { start })) {
        const bytes = (chunk as Buffer).subarray(0, left);
        for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
        left -= bytes.length;
        if (left <= 0) return;
      }
    },
  };
}

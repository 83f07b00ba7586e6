// The bytes of a stored blob, as the readers of tables want them.
import type { Blob } from '../engine/blobs/blobs.ts';
import { parseBlobKey } from '../platform/blob/blob-key.ts';
import type { BlobStore } from '../platform/blob/blob-store.ts';
import type { ByteSource } from './byte-source.ts';

export function blobSource(store: BlobStore, blob: Pick<Blob, 'store_key' | 'bytes'>): ByteSource {
  const key = parseBlobKey(blob.store_key);
  return {
    size: blob.bytes,
    async *open(start, end = blob.bytes) {
      if (start >= end) return;
      let left = end - start;
      for await (const chunk of await store.get(key, { start })) {
        const bytes = chunk as Buffer;
        yield bytes.length <= left ? bytes : bytes.subarray(0, left);
        left -= bytes.length;
        if (left <= 0) return;
      }
    },
  };
}

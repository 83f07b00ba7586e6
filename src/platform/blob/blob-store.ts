// What a blob store promises, whichever it is. `test/support/blob-store-conformance.ts` holds every store to it.
//
// - put is all or nothing: a reader sees the whole blob or none of it, and when put has returned the bytes survive a power cut.
// - a blob never changes: a second put under one key is refused.
// - SHA-256 and length are taken in the same pass as the writing; nothing holds a whole file in memory.
// - a failed, cancelled or oversize put leaves nothing behind; what a killed process leaves is found by removeUnfinished.
import type { Readable } from 'node:stream';
import type { BlobKey } from './blob-key.ts';

export interface PutOptions {
  /** The put fails with `file_too_large` as soon as one byte more has arrived. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
}

export interface StoredBlob {
  readonly sha256: Buffer;
  readonly bytes: number;
}

export interface BlobInfo {
  readonly key: BlobKey;
  readonly bytes: number;
  readonly storedAt: Date;
}

export interface BlobStore {
  put(key: BlobKey, body: AsyncIterable<Uint8Array>, options: PutOptions): Promise<StoredBlob>;
  /** The bytes from `start` on; a start at or past the end gives an empty stream. Fails with `blob_missing`. */
  get(key: BlobKey, options?: { readonly start?: number; readonly signal?: AbortSignal }): Promise<Readable>;
  head(key: BlobKey): Promise<BlobInfo | undefined>;
  /** Removing what is not there is no error. */
  delete(key: BlobKey): Promise<void>;
  /** Every blob stored before `before`, in no particular order. */
  listStoredBefore(before: Date): AsyncIterable<BlobInfo>;
  /** Removes what puts that died have left (temporary files, open multipart uploads); returns how many. Never a live put's. */
  removeUnfinished(silentForMs: number): Promise<number>;
  /** Where a blob is, for other processes that have the same store. */
  uriOf(key: BlobKey): string;
  /** The key behind such an address; undefined when it does not lead into this store. */
  keyOf(uri: string): BlobKey | undefined;
  /** Fails unless the store can be written to now. */
  check(): Promise<void>;
  close(): Promise<void>;
}

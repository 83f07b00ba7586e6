// Where the bytes of a table come from. A source can be opened more than once and at any offset, which is what sampling,
// resuming and replaying need. Local files, buffers and (by the caller) blob stores all look the same from here.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';

const FILE_CHUNK_BYTES = 256 * 1024;

export interface ByteSource {
  /** Total size in bytes. */
  readonly size: number;
  /** A path when the bytes already lie in a local file, so that they need not be copied for the spreadsheet reader. */
  readonly path?: string;
  /** The bytes from `start` to the end (or to `end`, exclusive). Each call is an independent reading. */
  open(start: number, end?: number): AsyncIterable<Uint8Array>;
}

export async function fileSource(path: string): Promise<ByteSource> {
  const { size } = await stat(path);
  return {
    size,
    path,
    open: (start, end) =>
      start >= (end ?? size)
        ? emptyStream()
        : createReadStream(path, {
            start,
            highWaterMark: FILE_CHUNK_BYTES,
            ...(end === undefined ? {} : { end: end - 1 }),
          }),
  };
}

export function bytesSource(bytes: Uint8Array, chunkBytes = FILE_CHUNK_BYTES): ByteSource {
  return {
    size: bytes.length,
    async *open(start, end = bytes.length) {
      for (let at = start; at < end; at += chunkBytes) yield bytes.subarray(at, Math.min(at + chunkBytes, end));
    },
  };
}

/** Up to `length` bytes from `start`. */
export async function readSlice(source: ByteSource, start: number, length: number): Promise<Buffer> {
  const end = Math.min(source.size, start + length);
  const parts: Uint8Array[] = [];
  for await (const part of source.open(start, end)) parts.push(part);
  return Buffer.concat(parts);
}

async function* emptyStream(): AsyncGenerator<Uint8Array> {}

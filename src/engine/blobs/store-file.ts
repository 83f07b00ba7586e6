// Takes the bytes of one file into the blob store, whichever intake they came through: looks at the first bytes, refuses what is
// empty or not what its name says, and streams the rest in one pass. The row comes after the bytes (recordBlob), the run after
// the row; a crash in between leaves an orphan for the sweeper and never a run without bytes.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { type BlobKey, blobKey } from '../../platform/blob/blob-key.ts';
import type { BlobStore, PutOptions } from '../../platform/blob/blob-store.ts';
import { uuidv7 } from '../../platform/ids.ts';
import { displayName, extensionOf } from './file-name.ts';

/** How much of a file the sniffer sees, unless the file is shorter. */
const sniffBytes = 64 * 1024;

export interface Sniffed {
  /** One short word: csv, json, xlsx, pdf … */
  readonly format: string;
  readonly mediaType: string;
  /** Names this content may have; left out, the sniffer has compared them itself. */
  readonly extensions?: readonly string[];
}

/** Says what the first bytes are, or throws a MillraceError that says why the file is refused. */
export type Sniff = (head: Uint8Array, fileName: string) => Sniffed;

export interface FileIntake {
  readonly tenantId: string;
  /** As the sender gave it. */
  readonly fileName: string;
  readonly body: AsyncIterable<Uint8Array>;
  readonly maxBytes: number;
  readonly sniff: Sniff;
  readonly signal?: AbortSignal;
}

export interface StoredFile {
  readonly blobId: string;
  readonly tenantId: string;
  readonly storeKey: BlobKey;
  readonly sha256: Buffer;
  readonly bytes: number;
  readonly format: string;
  readonly mediaType: string;
  readonly originalName: string;
}

export async function storeFile(store: BlobStore, intake: FileIntake): Promise<StoredFile> {
  const originalName = displayName(intake.fileName);
  if (originalName === undefined) throw new MillraceError('file_name_unusable');
  const body = intake.body[Symbol.asyncIterator]();
  try {
    const head = await takeHead(body, Math.min(sniffBytes, intake.maxBytes + 1));
    if (head.bytes === 0) throw new MillraceError('file_empty', { name: originalName });
    const { format, mediaType } = judgeHead(intake.sniff, joinHead(head.chunks), originalName);
    const { tenantId } = intake;
    const blobId = uuidv7();
    const storeKey = blobKey({ tenantId, blobId, extension: keyExtension(format) });
    const stored = await store.put(storeKey, chain(head.chunks, body), putOptions(intake));
    return { blobId, tenantId, storeKey, ...stored, format, mediaType, originalName };
  } catch (error) {
    // Lets go of a file or stream that was refused half way. Not awaited: a body stuck in next() would never answer.
    body.return?.().catch(() => undefined);
    throw error;
  }
}

/** What a file is by its first bytes; throws when they are refused, or are not what its name promises. */
export function judgeHead(sniff: Sniff, head: Uint8Array, name: string): Pick<StoredFile, 'format' | 'mediaType'> {
  const { format, mediaType, extensions } = sniff(head, name);
  refuseForeignExtension(name, format, extensions);
  return { format, mediaType };
}

/** The same file under another name, which must promise the same kind of content. */
export function renameFile(file: StoredFile, fileName: string): StoredFile {
  const originalName = displayName(fileName);
  if (originalName === undefined) throw new MillraceError('file_name_unusable');
  refuseForeignExtension(originalName, file.format, [extensionOf(file.originalName)]);
  return { ...file, originalName };
}

async function takeHead(body: AsyncIterator<Uint8Array>, wanted: number) {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  while (bytes < wanted) {
    const next = await body.next();
    if (next.done === true) break;
    chunks.push(next.value);
    bytes += next.value.byteLength;
  }
  return { chunks, bytes };
}

async function* chain(head: Uint8Array[], rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* head;
  head.length = 0;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}

function joinHead(chunks: readonly Uint8Array[]): Buffer {
  return Buffer.concat(chunks).subarray(0, sniffBytes);
}

function putOptions({ maxBytes, signal }: FileIntake): PutOptions {
  return signal === undefined ? { maxBytes } : { maxBytes, signal };
}

function refuseForeignExtension(name: string, format: string, extensions: readonly string[] | undefined): void {
  const extension = extensionOf(name);
  if (extensions === undefined || extensions.includes(extension)) return;
  const shown = extension === '' ? name : `.${extension}`;
  throw new MillraceError('content_mismatch', { extension: shown, found: format });
}

function keyExtension(format: string): string {
  return /^[a-z0-9]{1,10}$/.test(format) ? format : 'bin';
}

/** Bytes at hand, as the body of a file. */
export async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

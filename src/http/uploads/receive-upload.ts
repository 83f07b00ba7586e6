// Receives one multipart upload: fields in any order, before or after exactly one file, which streams into the blob store as it
// arrives. Returns when every byte is safe; on any refusal nothing is kept. Knows no pipeline and writes no row.
import type { IncomingMessage } from 'node:http';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { renameFile, type Sniffed, type StoredFile, storeFile } from '../../engine/blobs/store-file.ts';
import type { BlobStore } from '../../platform/blob/blob-store.ts';
import { writeZip } from '../../tabular/write-zip.ts';
import { discardRest } from './linger.ts';
import { type Part, readParts } from './multipart-reader.ts';
import { boundaryOf, decodeUtf8 } from './part-headers.ts';
import { RequestBody } from './request-body.ts';
import type { UploadLimits } from './upload-limits.ts';

/** Boundaries, headers and fields beside the file: a longer body cannot hold a file within the cap. */
const marginBytes = 1024 * 1024;

let receiving = 0;

export interface UploadTarget {
  readonly store: BlobStore;
  readonly tenantId: string;
  /** With the fields that came before the file. */
  readonly sniff: (head: Uint8Array, fileName: string, fields: ReadonlyMap<string, string>) => Sniffed;
  readonly signal?: AbortSignal;
  /** Files of such a name come together with others of their kind: all of them are stored as one archive. */
  readonly packs?: (fileName: string) => boolean;
}

export interface ReceivedUpload {
  readonly fields: ReadonlyMap<string, string>;
  readonly file: StoredFile;
}

export async function receiveUpload(
  request: IncomingMessage,
  target: UploadTarget,
  limits: UploadLimits,
): Promise<ReceivedUpload> {
  const progress: { file?: StoredFile } = {};
  receiving += 1;
  try {
    return await receive(request, target, limits, progress);
  } catch (error) {
    discardRest(request, limits);
    // Refused for what came after the file. The sweeper has it if this fails too.
    if (progress.file !== undefined) await target.store.delete(progress.file.storeKey).catch(() => undefined);
    throw error;
  } finally {
    receiving -= 1;
  }
}

async function receive(
  request: IncomingMessage,
  target: UploadTarget,
  limits: UploadLimits,
  progress: { file?: StoredFile },
): Promise<ReceivedUpload> {
  if (receiving > limits.maxAtOnce)
    throw new MillraceError('upload_busy', { limit: limits.maxAtOnce }, { retryAfterMs: 5_000 });
  const boundary = boundaryOf(request.headers['content-type']);
  if (boundary === undefined) throw new MillraceError('upload_not_multipart');
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > limits.maxFileBytes + marginBytes)
    throw new MillraceError('file_too_large', { limit: limits.maxFileBytes });

  const body = new RequestBody(request, limits);
  try {
    const fields = new Map<string, string>();
    const parts = readParts(body, boundary, limits);
    for await (const part of parts) {
      if (part.fileName === undefined) {
        await takeField(part, fields, limits);
      } else if (progress.file !== undefined) {
        throw new MillraceError('upload_file_repeated');
      } else if (target.packs?.(part.fileName) === true) {
        progress.file = await takeFiles(part, parts, fields, target, limits);
      } else {
        progress.file = await takeFile(part, part.fileName, fields, target, limits);
      }
    }
    if (progress.file === undefined) throw new MillraceError('upload_file_missing');
    const name = fields.get('filename');
    return { fields, file: name === undefined ? progress.file : renameFile(progress.file, name) };
  } finally {
    body.detach();
  }
}

async function takeFile(
  part: Part,
  sentName: string,
  fields: ReadonlyMap<string, string>,
  { store, tenantId, sniff, signal }: UploadTarget,
  limits: UploadLimits,
): Promise<StoredFile> {
  // What a browser sends for a file input that was left empty.
  if (sentName === '' && !fields.has('filename')) throw new MillraceError('upload_file_missing');
  return storeFile(store, {
    tenantId,
    fileName: fields.get('filename') ?? sentName,
    body: part.body,
    maxBytes: limits.maxFileBytes,
    sniff: (head, name) => sniff(head, name, fields),
    ...(signal === undefined ? {} : { signal }),
  });
}

/** This one and all that follow, with the fields between them. */
function takeFiles(
  first: Part,
  rest: AsyncGenerator<Part>,
  fields: Map<string, string>,
  target: UploadTarget,
  limits: UploadLimits,
): Promise<StoredFile> {
  async function* files() {
    yield { path: first.fileName ?? '', data: first.body };
    for (;;) {
      const { done, value: part } = await rest.next();
      if (done) return;
      if (part.fileName === undefined) await takeField(part, fields, limits);
      else yield { path: part.fileName, data: part.body };
    }
  }
  const archive: Part = { ...first, body: writeZip(files(), 'stored') };
  return takeFile(archive, `${first.fileName ?? 'images'}.zip`, new Map(), target, limits);
}

async function takeField(part: Part, fields: Map<string, string>, limits: UploadLimits): Promise<void> {
  const { name } = part;
  const shown = name.slice(0, 60);
  if (fields.has(name)) throw new MillraceError('upload_field_repeated', { field: shown });
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of part.body) {
    bytes += chunk.byteLength;
    if (bytes > limits.maxFieldBytes)
      throw new MillraceError('upload_field_too_large', { field: shown, limit: limits.maxFieldBytes });
    chunks.push(chunk);
  }
  const value = decodeUtf8(Buffer.concat(chunks));
  if (value.includes('\0')) throw new MillraceError('upload_malformed', { reason: `the field "${shown}" holds a NUL` });
  fields.set(name, value);
}

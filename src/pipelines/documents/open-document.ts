// The bytes of a document in a local file, for the process that reads them. The file is gone when the work is.
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { Blob } from '../../engine/blobs/blobs.ts';
import { parseBlobKey } from '../../platform/blob/blob-key.ts';
import type { DocumentsDeps } from './deps.ts';
import type { Format, Opened } from './extract/extraction-messages.ts';
import { ExtractionProcess } from './extract/extraction-process.ts';

export interface OpenedDocument {
  readonly facts: Opened;
  reader(): ExtractionProcess;
  /** A new reader in the place of one that is gone. */
  reopen(): Promise<void>;
}

export interface DocumentToOpen {
  readonly format: Format;
  readonly asked?: Readonly<Record<string, 'ocr' | 'exclude'>>;
  readonly signal?: AbortSignal;
}

export async function withDocument<T>(
  deps: Pick<DocumentsDeps, 'store' | 'limits' | 'ocr' | 'ocrLanguage' | 'tessdata'>,
  blob: Blob | undefined,
  { format, asked = {}, signal }: DocumentToOpen,
  work: (document: OpenedDocument) => Promise<T>,
): Promise<T> {
  if (blob === undefined || blob.deleted_at !== null)
    throw new MillraceError('document_bytes_gone', { reason: 'its time to be kept is over, or KEEP_RAW is delete' });
  const folder = await mkdtemp(path.join(tmpdir(), 'millrace-document-'));
  let reader = new ExtractionProcess(deps.limits);
  const stop = () => reader.stop();
  signal?.addEventListener('abort', stop);
  try {
    const file = path.join(folder, `document.${format}`);
    await pipeline(await deps.store.get(parseBlobKey(blob.store_key)), createWriteStream(file));
    const { ocr, ocrLanguage: language, tessdata } = deps;
    const request = { path: file, format, ocr, tessdata, language, asked };
    const facts = await reader.open(request);
    const reopen = async () => {
      reader.stop();
      reader = new ExtractionProcess(deps.limits);
      await reader.open({ ...request, isAhead: false });
    };
    return await work({ facts, reader: () => reader, reopen });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener('abort', stop);
    reader.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

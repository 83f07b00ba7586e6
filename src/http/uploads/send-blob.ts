// Answers with the bytes of a blob exactly as they were uploaded. The sender's media type is repeated but never trusted: the
// answer is a download, not sniffed, and runs nothing even if a browser is talked into showing it.
import type { FastifyReply } from 'fastify';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { Blob } from '../../engine/blobs/blobs.ts';
import { parseBlobKey } from '../../platform/blob/blob-key.ts';
import type { BlobStore } from '../../platform/blob/blob-store.ts';
import { attachmentHeader } from './content-disposition.ts';

export async function sendBlob(reply: FastifyReply, store: BlobStore, blob: Blob): Promise<FastifyReply> {
  if (blob.deleted_at !== null) throw new MillraceError('blob_missing', { blob: blob.blob_id });
  const gone = new AbortController();
  const body = await store.get(parseBlobKey(blob.store_key), { signal: gone.signal });
  // A client that leaves must not keep the file or the connection to S3 open.
  reply.raw.once('close', () => gone.abort());
  body.on('error', () => undefined);
  return reply
    .header('content-type', blob.media_type)
    .header('content-length', String(blob.bytes))
    .header('content-disposition', attachmentHeader(blob.original_name))
    .header('repr-digest', `sha-256=:${blob.sha256.toString('base64')}:`)
    .header('x-content-type-options', 'nosniff')
    .header('content-security-policy', "default-src 'none'; sandbox")
    .header('cache-control', 'private, no-store')
    .send(body);
}

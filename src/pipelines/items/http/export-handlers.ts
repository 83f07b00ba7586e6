// Exports of a job: written and stored on POST, downloaded whole or in parts on GET.
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { type Blob, findBlob } from '../../../engine/blobs/blobs.ts';
import { type Handlers, handle } from '../../../http/call.ts';
import { engineOf } from '../../../http/engine-of.ts';
import { look } from '../../../http/routes/change.ts';
import { attachmentHeader } from '../../../http/uploads/content-disposition.ts';
import { parseBlobKey } from '../../../platform/blob/blob-key.ts';
import type { BlobStore } from '../../../platform/blob/blob-store.ts';
import { requireEnabled } from '../accept-job.ts';
import type { ItemsDeps } from '../deps.ts';
import { writeExport } from '../export/write-export.ts';
import { selectExport } from '../sql/exports.ts';
import { requireJob } from './job-access.ts';
import { latestRun, requireIngested } from './job-view.ts';

export function exportHandlers(deps: ItemsDeps): Handlers {
  return {
    ...handle('jobs.export', async (call) => {
      requireEnabled(deps);
      const { principal, app, query, params } = call;
      const job = await look(call, (db) => requireJob(db, principal, params.job_id));
      if (job.total_items === 0) requireIngested(job, await latestRun(engineOf(call), job));
      const made = await writeExport({ pool: app.pool, store: deps.store }, job, {
        format: query.format,
        by: principal.actor,
        createdBy: principal.kind === 'user' ? principal.actorId : undefined,
      });
      call.trail.acted({ target: job.job_id, data: { format: query.format, rows: made.rows } });
      call.reply.code(201);
      return {
        export_id: made.export_id,
        format: made.format,
        as_of: made.as_of.toISOString(),
        rows: made.rows,
        bytes: made.bytes,
        url: `/api/jobs/${job.job_id}/exports/${made.export_id}`,
      };
    }),

    ...handle('jobs.exported', async (call) => {
      requireEnabled(deps);
      const { job_id: jobId, export_id: exportId } = call.params;
      const blob = await look(call, async (db) => {
        await requireJob(db, call.principal, jobId);
        const made = await selectExport(db, jobId, exportId);
        return made === undefined ? undefined : findBlob(db, made.blob_id);
      });
      if (blob === undefined || blob.deleted_at !== null)
        throw new MillraceError('export_not_found', { export: exportId, job: jobId });
      return sendPart(call.reply, deps.store, blob, call.request.headers);
    }),
  };
}

/** One range; of several, of another version of the file, or of a header that says nothing we know, the whole file is the answer. */
async function sendPart(
  reply: FastifyReply,
  store: BlobStore,
  blob: Blob,
  asked: { readonly range?: string | undefined; readonly 'if-range'?: string | string[] | undefined },
): Promise<FastifyReply> {
  const etag = `"${blob.sha256.toString('hex')}"`;
  const isOfThis = asked['if-range'] === undefined || asked['if-range'] === etag;
  const part = rangeOf(isOfThis ? asked.range : undefined, blob.bytes);
  if (part === 'unsatisfiable') {
    reply.header('content-range', `bytes */${blob.bytes}`);
    throw new MillraceError('range_unsatisfiable', { bytes: blob.bytes });
  }
  const gone = new AbortController();
  const body = await store.get(parseBlobKey(blob.store_key), { start: part?.start ?? 0, signal: gone.signal });
  reply.raw.once('close', () => gone.abort());
  body.on('error', () => undefined);
  const length = part === undefined ? blob.bytes : part.end - part.start + 1;
  if (part !== undefined) reply.code(206).header('content-range', `bytes ${part.start}-${part.end}/${blob.bytes}`);
  return reply
    .header('content-type', blob.media_type)
    .header('content-length', String(length))
    .header('accept-ranges', 'bytes')
    .header('etag', etag)
    .header('content-disposition', attachmentHeader(blob.original_name))
    .header('x-content-type-options', 'nosniff')
    .header('content-security-policy', "default-src 'none'; sandbox")
    .header('cache-control', 'private, no-store')
    .send(Readable.from(firstBytes(body, length)));
}

function rangeOf(
  header: string | undefined,
  bytes: number,
): { readonly start: number; readonly end: number } | 'unsatisfiable' | undefined {
  const found = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '');
  if (found === null || (found[1] === '' && found[2] === '')) return undefined;
  const [, from = '', to = ''] = found;
  // Backwards, it is no range at all.
  if (from !== '' && to !== '' && Number(from) > Number(to)) return undefined;
  const start = from === '' ? Math.max(0, bytes - Number(to)) : Number(from);
  const end = from === '' || to === '' ? bytes - 1 : Math.min(bytes - 1, Number(to));
  return start > end ? 'unsatisfiable' : { start, end };
}

async function* firstBytes(body: AsyncIterable<Buffer>, length: number): AsyncGenerator<Buffer> {
  let left = length;
  for await (const chunk of body) {
    yield chunk.subarray(0, left);
    left -= chunk.length;
    if (left <= 0) return;
  }
}

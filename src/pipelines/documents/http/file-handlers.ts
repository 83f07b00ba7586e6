// Files of a version: the original, a page as an image, everything as Markdown.
import { Readable } from 'node:stream';
import { inTenant } from '../../../access/tenant-session.ts';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { type Blob, findBlob } from '../../../engine/blobs/blobs.ts';
import { type Handlers, handle } from '../../../http/call.ts';
import { look } from '../../../http/routes/change.ts';
import { attachmentHeader } from '../../../http/uploads/content-disposition.ts';
import { sendBlob } from '../../../http/uploads/send-blob.ts';
import type { DocumentsDeps } from '../deps.ts';
import { markdownOf } from '../markdown.ts';
import { withDocument } from '../open-document.ts';
import { selectPages } from '../sql/pages.ts';
import { findDocument } from '../sql/read-documents.ts';
import { requireVersion } from './document-view.ts';

const PAGES_PER_READ = 50;
/** Drawing takes a process of its own; more at once would only slow each other down. */
const MAX_DRAWN_AT_ONCE = 4;
let drawing = 0;

export function fileHandlers(deps: DocumentsDeps): Handlers {
  return {
    ...handle('documents.original', async (call) => {
      const blob = await look(call, async (db, tenantId) => {
        const { blob_id: blobId } = await requireVersion(db, tenantId, call.params);
        return blobId === null ? undefined : findBlob(db, blobId);
      });
      return sendBlob(call.reply, deps.store, requireBytes(blob));
    }),

    ...handle('documents.page-image', async (call) => {
      const { page_no: pageNo, version: versionNo, doc_id: document } = call.params;
      const { version, blob } = await look(call, async (db, tenantId) => {
        const found = await requireVersion(db, tenantId, call.params);
        return { version: found, blob: found.blob_id === null ? undefined : await findBlob(db, found.blob_id) };
      });
      if (pageNo > version.page_count)
        throw new MillraceError('document_page_not_found', { document, version: versionNo, page: pageNo });
      if (version.unit !== 'page') throw new MillraceError('document_page_has_no_image', { page: pageNo });
      const png = await draw(deps, requireBytes(blob), pageNo, call.query.dpi);
      return call.reply
        .header('content-type', 'image/png')
        .header('cache-control', 'private, max-age=86400, immutable')
        .header('x-content-type-options', 'nosniff')
        .send(png);
    }),

    ...handle('documents.markdown', async (call) => {
      const { tenantId } = call.principal;
      const { title, version } = await look(call, async (db) => {
        const found = await requireVersion(db, tenantId, call.params);
        return { version: found, title: (await findDocument(db, tenantId, call.params.doc_id))?.title ?? 'document' };
      });
      const pages = async function* () {
        for (let after = 0; ; ) {
          const some = await inTenant(
            call.app.pool,
            tenantId,
            (db) => selectPages(db, tenantId, version.doc_version_id, after, PAGES_PER_READ),
            { readOnly: true },
          );
          yield* some;
          after = some.at(-1)?.pageNo ?? 0;
          if (some.length < PAGES_PER_READ) return;
        }
      };
      return call.reply
        .header('content-type', 'text/markdown; charset=utf-8')
        .header('content-disposition', attachmentHeader(`${title.replace(/\.[a-z0-9]{1,5}$/i, '')}.md`))
        .header('x-content-type-options', 'nosniff')
        .header('content-security-policy', "default-src 'none'; sandbox")
        .send(Readable.from(markdownOf(title, version.unit, pages())));
    }),
  };
}

export function requireBytes(blob: Blob | undefined): Blob {
  if (blob !== undefined && blob.deleted_at === null) return blob;
  throw new MillraceError('document_bytes_gone', { reason: 'its time to be kept is over, or KEEP_RAW is delete' });
}

async function draw(deps: DocumentsDeps, blob: Blob, pageNo: number, dpi: number): Promise<Buffer> {
  if (drawing >= MAX_DRAWN_AT_ONCE)
    throw new MillraceError('upload_busy', { limit: MAX_DRAWN_AT_ONCE }, { retryAfterMs: 2_000 });
  drawing += 1;
  try {
    return await withDocument(deps, blob, { format: 'pdf' }, ({ reader }) => reader().image(pageNo, dpi));
  } finally {
    drawing -= 1;
  }
}

// Reading documents: lists by page or cursor, one document, its pages and chunks.
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { type Call, type Handlers, handle } from '../../../http/call.ts';
import { pageOf, readCursor, shapes, writeCursor } from '../../../http/cursor.ts';
import { look } from '../../../http/routes/change.ts';
import { wirePage } from '../../../http/wire.ts';
import { listPages, selectPages } from '../sql/pages.ts';
import {
  countDocuments,
  type DocumentFilter,
  listChanges,
  listChunks,
  listDocuments,
  listOrphans,
  listVersions,
} from '../sql/read-documents.ts';
import { requireVersion, showDocument, viewDocument } from './document-view.ts';

const CHUNKS_OF_PAGE = 200;

export const readHandlers: Handlers = {
  ...handle('documents.list', async (call) => {
    const { page, after, limit } = call.query;
    if (page !== undefined && after !== undefined) throw new MillraceError('page_with_cursor');
    const cursor = readCursor(after, shapes.uuid);
    const offset = after === undefined ? ((page ?? 1) - 1) * limit : 0;
    return look(call, async (db, tenantId) => {
      const filter = filterOf(call, tenantId, { beforeId: cursor?.[0] ?? null, offset });
      const rows = await listDocuments(db, { ...filter, limit: limit + 1 });
      const total = after === undefined ? await countDocuments(db, filter) : null;
      const found = pageOf(rows, limit, (row) => writeCursor(row.doc_id));
      return {
        data: found.data.map(viewDocument),
        next: found.next,
        page: after === undefined ? (page ?? 1) : null,
        limit,
        total,
        total_pages: total === null ? null : Math.ceil(total / limit),
      };
    });
  }),

  ...handle('documents.orphans', async (call) => {
    const { after, limit } = call.query;
    const cursor = readCursor(after, shapes.uuid);
    const rows = await look(call, (db, tenantId) => listOrphans(db, tenantId, cursor?.[0] ?? null, limit + 1));
    return wirePage(pageOf(rows, limit, (row) => writeCursor(row.doc_id)));
  }),

  ...handle('documents.show', (call) => look(call, (db, tenantId) => showDocument(db, tenantId, call.params.doc_id))),

  ...handle('documents.pages', async (call) => {
    const { after, limit, fate } = call.query;
    const cursor = readCursor(after, shapes.integer);
    return look(call, async (db, tenantId) => {
      const { doc_version_id: versionId } = await requireVersion(db, tenantId, call.params);
      const fates = fate === undefined ? null : fate.split(',');
      const rows = await listPages(
        db,
        { tenantId, versionId },
        { fates, after: Number(cursor?.[0] ?? 0), limit: limit + 1 },
      );
      const { data, next } = pageOf(rows, limit, (row) => writeCursor(row.page_no));
      return { data: [...data], next };
    });
  }),

  ...handle('documents.page', async (call) => {
    const { doc_id: document, version, page_no: pageNo } = call.params;
    return look(call, async (db, tenantId) => {
      const { doc_version_id: versionId } = await requireVersion(db, tenantId, call.params);
      const [page] = await selectPages(db, tenantId, versionId, pageNo - 1, 1);
      if (page === undefined || page.pageNo !== pageNo)
        throw new MillraceError('document_page_not_found', { document, version, page: pageNo });
      const chunks = await listChunks(db, { tenantId, versionId, page: pageNo }, -1, CHUNKS_OF_PAGE);
      return {
        page_no: page.pageNo,
        fate: page.fate,
        reason: page.reason,
        width: page.width,
        height: page.height,
        chars: page.text.length,
        char_start: page.charStart,
        char_end: page.charEnd,
        ocr_confidence: page.ocrConfidence,
        tables: page.tables,
        tables_lost: page.tablesLost,
        text: page.text,
        blocks: page.blocks.map((block) => ({ ...block })),
        chunks,
      };
    });
  }),

  ...handle('documents.chunks', async (call) => {
    const { after, limit } = call.query;
    const cursor = readCursor(after, shapes.integer);
    return look(call, async (db, tenantId) => {
      const { doc_version_id: versionId } = await requireVersion(db, tenantId, call.params);
      const rows = await listChunks(db, { tenantId, versionId, page: null }, Number(cursor?.[0] ?? -1), limit + 1);
      const { data, next } = pageOf(rows, limit, (row) => writeCursor(row.chunk_no));
      return { data: [...data], next };
    });
  }),

  ...handle('documents.changes', async (call) => {
    const { after, limit } = call.query;
    const cursor = readCursor(after, shapes.integer);
    return look(call, async (db, tenantId) => {
      const { doc_id: docId, version } = call.params;
      const { doc_version_id: newer } = await requireVersion(db, tenantId, call.params);
      const before = (await listVersions(db, tenantId, docId)).find((each) => each.version_no < version);
      if (before === undefined) return { data: [], next: null, against: null };
      const of = { tenantId, newer, older: before.doc_version_id };
      const rows = await listChanges(db, of, Number(cursor?.[0] ?? -1), limit + 1);
      const { data, next } = pageOf(rows, limit, (row) => writeCursor(row.place));
      return { data: data.map(({ place: _, ...chunk }) => chunk), next, against: before.version_label };
    });
  }),
};

function filterOf(
  { query }: Call<'documents.list'>,
  tenantId: string,
  place: Pick<DocumentFilter, 'beforeId' | 'offset'>,
): DocumentFilter {
  const { status, search, tag, limit } = query;
  return {
    tenantId,
    status,
    search: search === undefined || search === '' ? null : search.toLowerCase(),
    tags: tag === undefined ? null : tag.split(','),
    limit,
    ...place,
  };
}

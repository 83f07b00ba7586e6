// A document as the API shows it: what is served, its versions, and what each changed.
import type { AnswerOf } from '../../../contract/api/client.ts';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import type { Queryable } from '../../../platform/database.ts';
import {
  compareVersions,
  type DocumentRow,
  findDocument,
  findLiveRun,
  findNewestRun,
  listVersions,
  type VersionRow,
} from '../sql/read-documents.ts';

export type DocumentDetail = AnswerOf<'documents.show'>;
type Listed = AnswerOf<'documents.list'>['data'][number];

/** Comparing chunks reads both versions; beyond this many versions only the newest are compared. */
const COMPARED = 10;

export function viewDocument(row: DocumentRow): Listed {
  return {
    doc_id: row.doc_id,
    title: row.title,
    tags: row.tags,
    source_type: row.source_type,
    source_uri: row.source_uri,
    status: row.is_active ? 'active' : 'inactive',
    version_label: row.version_label,
    versions: row.versions,
    pages: row.pages,
    chunks: row.chunks,
    grade: row.grade,
    content_hash: row.content_hash,
    created_at: row.created_at.toISOString(),
    activated_at: row.activated_at?.toISOString() ?? null,
    live_run: null,
  };
}

export async function showDocument(db: Queryable, tenantId: string, docId: string): Promise<DocumentDetail> {
  const document = await findDocument(db, tenantId, docId);
  if (document === undefined) throw new MillraceError('document_not_found', { document: docId });
  const versions = await listVersions(db, tenantId, docId);
  const shown = versions.find((version) => version.is_active) ?? versions[0];
  const views: DocumentDetail['versions'] = [];
  for (const [index, version] of versions.entries()) {
    const before = versions[index + 1];
    const changes =
      before === undefined || index >= COMPARED
        ? null
        : await compareVersions(db, tenantId, version.doc_version_id, before.doc_version_id);
    views.push({ ...viewVersion(version), changes });
  }
  return {
    doc_id: document.doc_id,
    title: document.title,
    tags: document.tags,
    source_type: document.source_type,
    source_uri: document.source_uri,
    status: shown?.is_active === true ? 'active' : 'inactive',
    version_label: shown?.version_label ?? null,
    pages: shown?.page_count ?? 0,
    chunks: shown?.chunk_count ?? 0,
    grade: shown?.grade ?? null,
    content_hash: shown?.content_hash ?? null,
    created_at: document.created_at.toISOString(),
    activated_at: shown?.activated_at?.toISOString() ?? null,
    live_run: (await findLiveRun(db, tenantId, docId)) ?? null,
    last_failure: await lastFailure(db, tenantId, docId),
    versions: views,
  };
}

/** A failure that a newer run has made good is none. */
async function lastFailure(db: Queryable, tenantId: string, docId: string): Promise<DocumentDetail['last_failure']> {
  const run = await findNewestRun(db, tenantId, docId);
  if (run?.finished_at == null || run.error_code === null) return null;
  return {
    run_id: run.run_id,
    code: run.error_code,
    message: run.error_text ?? run.error_code,
    at: run.finished_at.toISOString(),
  };
}

export async function requireVersion(
  db: Queryable,
  tenantId: string,
  { doc_id: docId, version }: { readonly doc_id: string; readonly version: number },
): Promise<VersionRow> {
  if ((await findDocument(db, tenantId, docId)) === undefined)
    throw new MillraceError('document_not_found', { document: docId });
  const found = (await listVersions(db, tenantId, docId)).find(({ version_no: number }) => number === version);
  if (found === undefined) throw new MillraceError('document_version_not_found', { document: docId, version });
  return found;
}

function viewVersion(row: VersionRow): Omit<DocumentDetail['versions'][number], 'changes'> {
  return {
    doc_version_id: row.doc_version_id,
    version: row.version_no,
    version_label: row.version_label,
    content_hash: row.content_hash,
    is_active: row.is_active,
    run_id: row.run_id,
    unit: row.unit,
    pages: row.page_count,
    text_pages: row.text_pages,
    ocr_pages: row.ocr_pages,
    empty_pages: row.empty_pages,
    rejected_pages: row.rejected_pages,
    chunks: row.chunk_count,
    passages: row.passage_count,
    tokens: row.token_count,
    language: row.language,
    grade: row.grade,
    grade_shares: row.grade_shares,
    notes: row.notes,
    model: row.model_id,
    created_at: row.created_at.toISOString(),
    activated_at: row.activated_at?.toISOString() ?? null,
    deactivated_at: row.deactivated_at?.toISOString() ?? null,
  };
}

// Documents: uploads that become versions, their pages with a fate each, chunks, and what is served.
import { z } from 'zod';
import { allow, type Role } from '../../api/roles.ts';
import { defineRoutes, file, json } from '../../api/route.ts';
import { Count, Id, list, Page, Several, Time } from '../../api/values.ts';
import { Box } from './box.ts';

const Tags = z.string().max(2_000).optional().describe('Words that group documents into sets, separated by commas.');

export const IngestFields = z.object({
  title: z.string().max(500).optional().describe('Default: the name of the file.'),
  tags: Tags,
  workspace_id: Id.optional().describe('Must equal the tenant of the credential.'),
});

const IngestAnswer = z.object({
  run_id: Id.optional().describe('Left out when the file was skipped.'),
  doc_id: Id,
  status: z.enum(['queued', 'skipped']),
  reason: z.string().optional(),
  updated: z
    .array(z.enum(['title', 'tags']))
    .optional()
    .describe('Given with a file that was skipped, and changed on its document.'),
});

const Fate = z.enum(['text', 'ocr', 'empty', 'rejected']);
const Grade = z.enum(['A', 'B', 'C', 'D', 'E', 'F']);

const DocumentVersion = z.object({
  doc_version_id: Id,
  version: Count,
  version_label: z.string(),
  content_hash: z.string(),
  is_active: z.boolean(),
  run_id: Id,
  unit: z.enum(['page', 'section']).describe('section: a numbered part of a document that has no pages.'),
  pages: Count,
  text_pages: Count,
  ocr_pages: Count,
  empty_pages: Count,
  rejected_pages: Count,
  chunks: Count,
  passages: Count,
  tokens: Count,
  language: z.string().nullable(),
  grade: Grade.nullable(),
  grade_shares: z.record(z.string(), z.number()).nullable().describe('The shares the grade was made from.'),
  notes: z.array(z.string()).describe('What was set aside: embedded files, scripts, external references.'),
  model: z.string().nullable(),
  changes: z
    .object({ added: Count, removed: Count, kept: Count })
    .nullable()
    .describe('Chunks compared with those of the version before; null for the first one.'),
  created_at: Time,
  activated_at: Time.nullable(),
  deactivated_at: Time.nullable(),
});

const Document = z.object({
  doc_id: Id,
  title: z.string(),
  tags: z.array(z.string()),
  source_type: z.string(),
  source_uri: z.string(),
  status: z.enum(['active', 'inactive']),
  version_label: z.string().nullable().describe('The version that is served, or else the newest one.'),
  versions: Count,
  pages: Count,
  chunks: Count,
  grade: Grade.nullable(),
  content_hash: z.string().nullable(),
  created_at: Time,
  activated_at: Time.nullable(),
  live_run: z
    .object({ run_id: Id, status: z.string() })
    .nullable()
    .describe('A run that works on this document, or waits for a worker.'),
});

const DocumentDetail = Document.omit({ versions: true }).extend({
  last_failure: z
    .object({ run_id: Id, code: z.string(), message: z.string(), at: Time })
    .nullable()
    .describe('Set when the newest run of this document failed: why, and the run that can be retried.'),
  versions: z.array(DocumentVersion),
});

const OrphanedDocument = z.object({
  doc_id: Id,
  title: z.string(),
  source_type: z.string(),
  source_uri: z.string(),
  created_at: Time,
});

const DocumentList = list(Document).extend({
  page: Count.nullable(),
  limit: Count,
  total: Count.nullable(),
  total_pages: Count.nullable(),
});

const DocumentPage = z.object({
  page_no: Count,
  fate: Fate,
  reason: z.string().nullable(),
  width: z.number().nullable(),
  height: z.number().nullable(),
  chars: Count,
  char_start: Count.describe('Of a section: where it begins in the text of the document.'),
  char_end: Count,
  ocr_confidence: z.number().nullable(),
  tables: Count,
  tables_lost: Count,
});

const DocumentChunk = z.object({
  chunk_id: Id,
  chunk_no: Count,
  page_from: Count,
  page_to: Count,
  heading_path: z.array(z.string()),
  text: z.string(),
  tokens: Count,
  boxes: z.array(Box).describe('In points from the top left of the page, or characters of a section.'),
  passages: z.array(z.object({ passage_no: Count, page_no: Count, char_start: Count, char_end: Count })),
});

const ChunkChange = DocumentChunk.pick({
  chunk_id: true,
  chunk_no: true,
  page_from: true,
  page_to: true,
  heading_path: true,
  text: true,
}).extend({ change: z.enum(['added', 'removed']) });

const DocumentPageText = DocumentPage.extend({
  text: z.string(),
  blocks: z.array(z.looseObject({ kind: z.string(), start: Count, end: Count })),
  chunks: z.array(DocumentChunk),
});

const people: readonly Role[] = ['admin', 'user', 'service'];
const reading = allow(people, 'data:read');
const admins = allow(['admin'], 'runs:write');
const byId = z.object({ doc_id: Id });
const Version = z.coerce.number<number | string>().int().min(1).max(1_000_000);
const byVersion = byId.extend({ version: Version });
const byPage = byVersion.extend({ page_no: z.coerce.number<number | string>().int().min(1).max(10_000_000) });
const missing = ['document_not_found', 'document_version_not_found'] as const;
const missingPage = [...missing, 'document_page_not_found'] as const;

export const documentRoutes = defineRoutes({
  'documents.ingest': {
    tag: 'Documents',
    summary: 'Upload a document',
    notes:
      'multipart/form-data with `file` (pdf, docx, html, txt, md) and the fields below. Answers 202 with a run, or 200 with status "skipped" when exactly these bytes are served already; a title or tags that were given are then changed on the document, and `updated` names them. Poll GET /v1/ingestion-runs/:run_id.',
    access: allow(people, 'uploads:write'),
    body: IngestFields,
    bodyKind: 'multipart',
    answer: json(IngestAnswer, 202),
    errors: ['document_type_unknown', 'content_mismatch', 'document_deactivated', 'document_purged'],
  },
  'documents.list': {
    tag: 'Documents',
    summary: 'Documents, newest first, by page or by cursor',
    notes: 'Documents without a version are not listed. By default only those that are served.',
    access: reading,
    query: Page.extend({
      page: z.coerce.number<number | string>().int().min(1).max(10_000).optional(),
      limit: z.coerce.number<number | string>().int().min(1).max(100).default(20),
      search: z.string().max(200).optional().describe('Part of the title, whatever its case.'),
      status: z.enum(['active', 'inactive', 'all']).default('active'),
      tag: Several.optional().describe('Documents that have one of these tags.'),
    }),
    answer: json(DocumentList),
    errors: ['cursor_malformed', 'page_with_cursor'],
  },
  'documents.orphans': {
    tag: 'Documents',
    summary: 'Documents that have no version: their runs failed, or still wait',
    access: allow(['admin'], 'data:read'),
    query: Page,
    answer: json(list(OrphanedDocument)),
    errors: ['cursor_malformed'],
  },
  'documents.show': {
    tag: 'Documents',
    summary: 'Show a document with its versions',
    access: reading,
    params: byId,
    answer: json(DocumentDetail),
    errors: ['document_not_found'],
  },
  'documents.update': {
    tag: 'Documents',
    summary: 'Change title or tags',
    notes: 'Passages that were embedded keep the title they were embedded with until the document is ingested again.',
    access: allow(people, 'runs:write'),
    params: byId,
    body: z.strictObject({
      title: z.string().min(1).max(500).optional(),
      tags: z.array(z.string().min(1).max(100)).max(50).optional(),
    }),
    answer: json(DocumentDetail),
    errors: ['document_not_found'],
  },
  'documents.purge': {
    tag: 'Documents',
    summary: 'Erase a document for good',
    notes:
      'Versions, pages, chunks, vectors, artifact, the files of all its runs, and what kept answers quote of it. What stays is a tombstone, the runs, the questions and the audit entry.',
    access: admins,
    params: byId,
    query: z.object({ reason: z.string().max(500).optional() }),
    answer: json(
      z.object({
        doc_id: Id,
        versions: Count,
        pages: Count,
        chunks: Count,
        vectors: Count,
        files: Count,
        answers: Count.describe('Kept answers that quoted it; the quotes are gone.'),
      }),
    ),
    errors: ['document_not_found', 'document_still_running'],
  },
  'documents.deactivate': {
    tag: 'Documents',
    summary: 'Stop serving a document',
    notes: 'Nothing is deleted. Uploading the same file again does not revive it unless an admin does.',
    access: admins,
    params: byId,
    body: z.strictObject({ reason: z.string().max(500).optional() }).optional(),
    answer: json(DocumentDetail),
    errors: ['document_not_found', 'document_not_served'],
  },
  'documents.reactivate': {
    tag: 'Documents',
    summary: 'Serve a document again',
    access: admins,
    params: byId,
    body: z.strictObject({ version: z.int().min(1).optional().describe('Default: the newest one.') }).optional(),
    answer: json(DocumentDetail),
    errors: [...missing],
  },
  'documents.pages': {
    tag: 'Documents',
    summary: 'The pages of a version and the fate of each',
    access: reading,
    params: byVersion,
    query: Page.extend({ fate: Several.optional() }),
    answer: json(list(DocumentPage)),
    errors: [...missing, 'cursor_malformed'],
  },
  'documents.page': {
    tag: 'Documents',
    summary: 'The text of a page, its blocks and its chunks',
    access: reading,
    params: byPage,
    answer: json(DocumentPageText),
    errors: [...missingPage],
  },
  'documents.page-image': {
    tag: 'Documents',
    summary: 'A page as a PNG image',
    access: reading,
    params: byPage,
    query: z.object({ dpi: z.coerce.number<number | string>().int().min(36).max(200).default(96) }),
    answer: file('image/png'),
    errors: [...missingPage, 'document_page_has_no_image', 'document_bytes_gone', 'document_too_complex'],
  },
  'documents.page-retry': {
    tag: 'Documents',
    summary: 'Read a page again with OCR, or leave it out',
    notes: 'Makes a new version. What is unchanged keeps its vectors.',
    access: allow(people, 'runs:write'),
    params: byPage,
    body: z.strictObject({ how: z.enum(['ocr', 'exclude', 'include']) }),
    answer: json(z.object({ run_id: Id, doc_id: Id, status: z.literal('queued') }), 202),
    errors: [...missingPage, 'document_page_retry_refused', 'document_bytes_gone', 'document_not_served'],
  },
  'documents.chunks': {
    tag: 'Documents',
    summary: 'The chunks of a version in reading order',
    access: reading,
    params: byVersion,
    query: Page,
    answer: json(list(DocumentChunk)),
    errors: [...missing, 'cursor_malformed'],
  },
  'documents.changes': {
    tag: 'Documents',
    summary: 'The chunks a version added to the one before, and those it no longer has',
    notes: 'Chunks are compared by their text. The first version has no changes.',
    access: reading,
    params: byVersion,
    query: Page,
    answer: json(list(ChunkChange).extend({ against: z.string().nullable().describe('The version before.') })),
    errors: [...missing, 'cursor_malformed'],
  },
  'documents.markdown': {
    tag: 'Documents',
    summary: 'A version as Markdown',
    access: reading,
    params: byVersion,
    answer: file('text/markdown'),
    errors: [...missing],
  },
  'documents.original': {
    tag: 'Documents',
    summary: 'The file of a version, byte for byte',
    access: reading,
    params: byVersion,
    answer: file('application/octet-stream'),
    errors: [...missing, 'document_bytes_gone'],
  },
});

// Whether a file becomes a run: the four outcomes of the specification's table, in one transaction with the run itself. New document, or one
// that is not served: a run. Exactly these bytes are served: skipped, nothing is written. Other bytes under the same source: a new version.
// What an admin took away comes back only by an admin.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { StoredFile } from '../../engine/blobs/store-file.ts';
import type { Engine } from '../../engine/engine.ts';
import { withTransaction } from '../../platform/database.ts';
import { uuidv7 } from '../../platform/ids.ts';
import type { Log } from '../../platform/log.ts';
import { storableText } from '../../platform/storable-text.ts';
import { cleanText } from './extract/page.ts';
import type { DocumentInput } from './input.ts';
import {
  becomeDocumentsApi,
  becomeEngineAgain,
  findTombstone,
  getOrCreateDocument,
  liftTombstones,
  readActiveHash,
} from './sql/accept-document.ts';

export interface DocumentRequest {
  readonly tenantId: string;
  readonly file: StoredFile;
  readonly title?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  /** Left out: known by its content alone. */
  readonly sourceUri?: string | undefined;
  readonly sourceId?: string | undefined;
  readonly channel?: string;
  /** Who asks; an admin may bring back what was deactivated. */
  readonly by: { readonly name: string; readonly isAdmin: boolean };
  readonly createdBy?: string | undefined;
  readonly correlationId?: string | undefined;
}

export interface AcceptedDocument {
  /** The run; of a skipped file the document's id, because there is none. */
  readonly runId: string;
  readonly docId: string;
  readonly created: boolean;
  readonly status: 'queued' | 'skipped';
  readonly dedup: 'new' | 'new_version' | 'skipped';
}

/** Rolls the transaction back: a skipped file leaves no trace. */
class Skipped extends Error {
  constructor(readonly docId: string) {
    super('skipped');
  }
}

const MAX_TITLE = 500;

export async function acceptDocument(
  { engine, log }: { readonly engine: Engine; readonly log: Log },
  request: DocumentRequest,
): Promise<AcceptedDocument> {
  const answer = await decide(engine, request).catch((error: unknown): AcceptedDocument => {
    if (!(error instanceof Skipped)) throw error;
    return { runId: error.docId, docId: error.docId, created: false, status: 'skipped', dedup: 'skipped' };
  });
  if (answer.created) engine.wake();
  const { file } = request;
  log.info(
    {
      event: 'ingest_job_submitted',
      tenant_id: request.tenantId,
      user_id: request.createdBy,
      run_id: answer.created ? answer.runId : undefined,
      doc_id: answer.docId,
      dedup_result: answer.dedup,
      filename: file.originalName,
      content_type: file.mediaType,
      size_bytes: file.bytes,
      content_hash: file.sha256.toString('hex'),
      delegation_mode: 'ledger',
      delegation_success: true,
    },
    'ingest_job_submitted',
  );
  return answer;
}

async function decide(engine: Engine, request: DocumentRequest): Promise<AcceptedDocument> {
  const { tenantId, file } = request;
  const contentHash = `sha256:${file.sha256.toString('hex')}`;
  const sourceUri = request.sourceUri ?? `upload://${contentHash}`;
  const title = titleOf(request);
  return withTransaction(engine.pools.control, async (tx) => {
    await becomeDocumentsApi(tx, tenantId);
    await judgeTombstone(tx, request, sourceUri);
    const document = await getOrCreateDocument(tx, {
      docId: uuidv7(),
      tenantId,
      sourceType: file.format,
      sourceUri,
      title,
      renames: request.title !== undefined,
      tags: request.tags ?? null,
    });
    const activeHash = document.is_new ? null : await readActiveHash(tx, tenantId, document.doc_id);
    if (activeHash === contentHash) throw new Skipped(document.doc_id);
    await becomeEngineAgain(tx);
    const input: DocumentInput = {
      doc_id: document.doc_id,
      title: document.title,
      source_type: file.format as DocumentInput['source_type'],
      source_uri: sourceUri,
      channel: request.channel ?? 'upload',
      run_type: runTypeOf(request.channel),
      original_filename: file.originalName,
      content_type: file.mediaType,
      file_size_bytes: file.bytes,
      content_hash: contentHash,
      source_seq: document.source_seq,
    };
    const [run] = await engine.enqueueIn(tx, [
      {
        pipeline: 'documents',
        tenantId,
        input,
        blobId: file.blobId,
        ...(request.sourceId === undefined ? {} : { sourceId: request.sourceId }),
        ...(request.createdBy === undefined ? {} : { createdBy: request.createdBy }),
        ...(request.correlationId === undefined ? {} : { correlationId: request.correlationId }),
      },
    ]);
    const dedup = activeHash === null ? 'new' : 'new_version';
    return { runId: run?.id ?? '', docId: document.doc_id, created: true, status: 'queued', dedup };
  });
}

async function judgeTombstone(
  tx: Parameters<typeof findTombstone>[0],
  { tenantId, by }: DocumentRequest,
  sourceUri: string,
): Promise<void> {
  const tombstone = await findTombstone(tx, tenantId, sourceUri);
  // What a source has deleted comes back by the source.
  if (tombstone === undefined || tombstone.kind === 'source_deleted') return;
  if (!by.isAdmin)
    throw new MillraceError(tombstone.kind === 'purged' ? 'document_purged' : 'document_deactivated', {
      document: tombstone.doc_id,
    });
  await liftTombstones(tx, tenantId, sourceUri, by.name);
}

/** Without control characters: a title is shown in lists, files and terminals. */
export function cleanTitle(title: string): string {
  const visible = title.replace(/[\u200B-\u200F\u202A-\u202E\u2066-\u2069\u0080-\u009F]/g, '');
  return storableText(cleanText(visible).replace(/\s+/g, ' ').slice(0, MAX_TITLE));
}

function titleOf({ title, file }: DocumentRequest): string {
  const given = title === undefined ? '' : cleanTitle(title);
  return given !== '' ? given : cleanTitle(file.originalName) || 'document';
}

function runTypeOf(channel: string | undefined): DocumentInput['run_type'] {
  return channel === 's3' ? 's3_sync' : channel === 'folder' ? 'folder' : 'manual_upload';
}

// Whether a file becomes a run: the four outcomes of the specification's table, in one transaction with the run itself. New document, or one
// that is not served: a run. Exactly these bytes are served: skipped, nothing is written but a title or tags that were given. Other bytes under the same source: a new version.
// What an admin took away comes back only by an admin.
import { createHash } from 'node:crypto';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { StoredFile } from '../../engine/blobs/store-file.ts';
import type { Engine } from '../../engine/engine.ts';
import { withTransaction } from '../../platform/database.ts';
import { uuidv7 } from '../../platform/ids.ts';
import type { Log } from '../../platform/log.ts';
import { storableText } from '../../platform/storable-text.ts';
import type { Hold } from '../../sources/intake.ts';
import { cleanText } from './extract/page.ts';
import type { DocumentInput } from './input.ts';
import {
  addFile,
  becomeDocumentsApi,
  becomeEngineAgain,
  type FoundDocument,
  findTombstone,
  findVersionOf,
  getOrCreateDocument,
  liftTombstones,
  readServed,
} from './sql/accept-document.ts';
import { reactivateVersion, updateDocument } from './sql/change-documents.ts';
import { findDocument, findLiveRun } from './sql/read-documents.ts';

export interface DocumentRequest {
  readonly tenantId: string;
  readonly file: StoredFile;
  readonly title?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  /** Left out: known by its content alone. */
  readonly sourceUri?: string | undefined;
  readonly sourceId?: string | undefined;
  readonly channel?: string;
  /** Once ever: a delivery repeated after a kill finds its run. */
  readonly uniqueKey?: string | undefined;
  readonly hold?: Hold | undefined;
  /** Who asks; an admin may bring back what was deactivated. */
  readonly by: { readonly name: string; readonly isAdmin: boolean };
  readonly createdBy?: string | undefined;
  readonly correlationId?: string | undefined;
}

export interface AcceptedDocument {
  /** Of a skipped file: the run that made the version that is served. */
  readonly runId: string;
  readonly docId: string;
  readonly created: boolean;
  readonly status: 'queued' | 'skipped';
  readonly dedup: 'new' | 'new_version' | 'skipped' | 'reactivated';
  /** Of a skipped file: what was given with it and changed on the document. */
  readonly updated?: readonly ('title' | 'tags')[];
}

/** Rolls the transaction back: a skipped file leaves no trace. */
class Skipped extends Error {
  constructor(
    readonly docId: string,
    readonly runId: string,
  ) {
    super('skipped');
  }
}

const MAX_TITLE = 500;

export async function acceptDocument(
  { engine, log, mode = 'ledger' }: { readonly engine: Engine; readonly log: Log; readonly mode?: string },
  request: DocumentRequest,
): Promise<AcceptedDocument> {
  const answer = await decide(engine, request).catch(async (error: unknown): Promise<AcceptedDocument> => {
    if (!(error instanceof Skipped)) throw error;
    const { runId, docId } = error;
    const updated = await applyGiven(engine, request, docId);
    return { runId, docId, created: false, status: 'skipped', dedup: 'skipped', updated };
  });
  if (answer.created) engine.wake();
  const { file } = request;
  log.info(
    {
      ts: new Date(),
      event: 'ingest_job_submitted',
      tenant_id: request.tenantId,
      user_id: request.createdBy,
      run_id: answer.created ? answer.runId : undefined,
      doc_id: answer.docId,
      dedup_result: answer.dedup,
      filename: file.originalName,
      content_type: file.mediaType,
      size_bytes: file.bytes,
      content_hash: `sha256:${file.sha256.toString('hex')}`,
      source_uri: loggedUri(request.sourceUri, file),
      upload_uri: answer.created ? `/v1/uploads/${answer.runId}/original` : undefined,
      delegation_mode: mode,
      // Of the other modes `ingest_job_delegated` says it, once it is known.
      delegation_success: mode === 'ledger' ? true : undefined,
    },
    'ingest_job_submitted',
  );
  return answer;
}

/** Title and tags that a person gave with bytes that are served already: the document gets them, as it does with new bytes. */
async function applyGiven(
  engine: Engine,
  { tenantId, title, tags, channel = 'upload' }: DocumentRequest,
  docId: string,
): Promise<('title' | 'tags')[]> {
  const clean = title === undefined ? '' : cleanTitle(title);
  // What a folder or a source gives comes with every look at the file; only a changed file brings it in again.
  if (channel !== 'upload' || (clean === '' && tags === undefined)) return [];
  return withTransaction(engine.pools.control, async (tx) => {
    await becomeDocumentsApi(tx, tenantId);
    const document = await findDocument(tx, tenantId, docId);
    if (document === undefined) return [];
    const isRenamed = clean !== '' && clean !== document.title;
    const isTagged = tags !== undefined && tags.join('\n') !== document.tags.join('\n');
    if (isRenamed || isTagged)
      await updateDocument(tx, tenantId, docId, {
        title: isRenamed ? clean : null,
        tags: isTagged && tags !== undefined ? tags : null,
      });
    return [...(isRenamed ? ['title' as const] : []), ...(isTagged ? ['tags' as const] : [])];
  });
}

/** The kind and a mark: the place a source has it at may name people, and the whole hash of an upload stands in content_hash. */
function loggedUri(sourceUri: string | undefined, { sha256 }: StoredFile): string {
  if (sourceUri === undefined) return `upload:${sha256.toString('hex').slice(0, 12)}`;
  const kind = /^[a-z0-9]+/.exec(sourceUri)?.[0] ?? 'source';
  return `${kind}:${createHash('sha256').update(sourceUri).digest('hex').slice(0, 12)}`;
}

async function decide(engine: Engine, request: DocumentRequest): Promise<AcceptedDocument> {
  const { tenantId, file } = request;
  const contentHash = `sha256:${file.sha256.toString('hex')}`;
  const sourceUri = request.sourceUri ?? `upload://${contentHash}`;
  const title = titleOf(request);
  return withTransaction(engine.pools.control, async (tx) => {
    await request.hold?.(tx);
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
    const served = document.is_new ? undefined : await readServed(tx, tenantId, document.doc_id);
    if (served?.content_hash === contentHash && (await isNewest(tx, tenantId, document, served)))
      throw new Skipped(document.doc_id, served.run_id);
    const again =
      served === undefined ? await serveAgain(tx, request, document.doc_id, sourceUri, contentHash) : undefined;
    if (again !== undefined)
      return { runId: again, docId: document.doc_id, created: false, status: 'skipped', dedup: 'reactivated' };
    await addFile(tx, tenantId, document.doc_id, file.blobId);
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
        ...(request.uniqueKey === undefined ? {} : { uniqueKey: request.uniqueKey }),
        ...(request.sourceId === undefined ? {} : { sourceId: request.sourceId }),
        ...(request.createdBy === undefined ? {} : { createdBy: request.createdBy }),
        ...(request.correlationId === undefined ? {} : { correlationId: request.correlationId }),
      },
    ]);
    const dedup = served === undefined ? 'new' : 'new_version';
    return { runId: run?.id ?? '', docId: document.doc_id, created: run?.created ?? true, status: 'queued', dedup };
  });
}

/**
 * Whether nothing that was observed after the served version can still take its place. Where a run is on its way with other bytes, a file
 * that went back to the served ones must be observed too, or that run would win.
 */
async function isNewest(
  tx: Parameters<typeof findTombstone>[0],
  tenantId: string,
  { doc_id: docId, source_seq: observed }: FoundDocument,
  served: { readonly content_hash: string; readonly source_seq: number },
): Promise<boolean> {
  if (served.source_seq === observed - 1) return true;
  return (await findLiveRun(tx, tenantId, docId, served.content_hash)) === undefined;
}

/** Bytes that came back to their source bring back the version that was made of them: nothing is read or embedded again. Names its run. */
async function serveAgain(
  tx: Parameters<typeof findTombstone>[0],
  { tenantId, uniqueKey, by }: DocumentRequest,
  docId: string,
  sourceUri: string,
  contentHash: string,
): Promise<string | undefined> {
  if (uniqueKey === undefined) return undefined;
  const version = await findVersionOf(tx, tenantId, docId, contentHash);
  if (version === undefined || !(await reactivateVersion(tx, version.doc_version_id))) return undefined;
  await liftTombstones(tx, tenantId, sourceUri, by.name);
  return version.run_id;
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
  if (channel === undefined || channel === 'upload') return 'manual_upload';
  if (channel === 's3') return 's3_sync';
  return channel === 'folder' ? 'folder' : 'source';
}

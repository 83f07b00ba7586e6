// What people do to documents: rename, stop serving, serve again, erase, and read a page again. Each with its entry in the audit log.
import { audit } from '../../../access/audit.ts';
import { APP_ROLE } from '../../../access/tenant-session.ts';
import type { OperationId } from '../../../contract/api/operations.ts';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { findBlob } from '../../../engine/blobs/blobs.ts';
import { becomeRole } from '../../../engine/sql/become-role.ts';
import { type Call, type Handlers, handle } from '../../../http/call.ts';
import { actorOf, engineOf } from '../../../http/engine-of.ts';
import { look } from '../../../http/routes/change.ts';
import { forgetAnswers } from '../../../http/sql/reserve-idempotency-key.ts';
import { parseBlobKey } from '../../../platform/blob/blob-key.ts';
import { type Queryable, withTenant } from '../../../platform/database.ts';
import { uuidv7 } from '../../../platform/ids.ts';
import { cleanTitle } from '../accept-document.ts';
import { removeArtifacts } from '../artifact.ts';
import type { DocumentsDeps } from '../deps.ts';
import { DocumentInput } from '../input.ts';
import { findTombstone, liftTombstones } from '../sql/accept-document.ts';
import {
  deactivateDocument,
  insertTombstone,
  observe,
  purgeDocument,
  reactivateVersion,
  updateDocument,
} from '../sql/change-documents.ts';
import { expireBlobs } from '../sql/expire-blobs.ts';
import { findDocument, findLiveRun, listVersions, type VersionRow } from '../sql/read-documents.ts';
import { lockDocument } from '../sql/versions.ts';
import { requireVersion, showDocument } from './document-view.ts';
import { requireBytes } from './file-handlers.ts';

type AnyCall = Pick<Call<OperationId>, 'app' | 'principal' | 'origin' | 'operation' | 'trail'>;

export function changeHandlers(deps: DocumentsDeps): Handlers {
  return { ...servingHandlers(), ...purgeHandlers(deps), ...pageHandlers() };
}

/** What is served of a document, and under which title. */
function servingHandlers(): Handlers {
  return {
    ...handle('documents.update', async (call) => {
      const { doc_id: docId } = call.params;
      const { title, tags } = call.body;
      const clean = title === undefined ? null : cleanTitle(title);
      if (clean === '') throw new MillraceError('request_invalid', { faults: 'title: has no visible character' });
      await asApi(call, docId, { title: clean !== null, tags: tags !== undefined }, async (tx, tenantId) => {
        if (!(await updateDocument(tx, tenantId, docId, { title: clean, tags: tags?.map(cleanTitle) ?? null })))
          throw new MillraceError('document_not_found', { document: docId });
      });
      return look(call, (db, tenantId) => showDocument(db, tenantId, docId));
    }),

    ...handle('documents.deactivate', async (call) => {
      const { doc_id: docId } = call.params;
      const reason = call.body?.reason ?? null;
      await asApi(call, docId, {}, async (tx, tenantId) => {
        const document = await requireDocument(tx, tenantId, docId);
        await lockDocument(tx, docId);
        const wasServed = await deactivateDocument(tx, tenantId, docId);
        const isRunning = (await findLiveRun(tx, tenantId, docId)) !== undefined;
        if (!wasServed && !isRunning) throw new MillraceError('document_not_served', { document: docId });
        await insertTombstone(tx, {
          tombstoneId: uuidv7(),
          tenantId,
          docId,
          sourceUri: document.source_uri,
          kind: 'deactivated',
          sourceSeq: await observe(tx, tenantId, docId),
          by: call.principal.actor,
          reason,
        });
      });
      return look(call, (db, tenantId) => showDocument(db, tenantId, docId));
    }),

    ...handle('documents.reactivate', async (call) => {
      const { doc_id: docId } = call.params;
      const version = call.body?.version;
      await asApi(call, docId, version === undefined ? {} : { version }, async (tx, tenantId) => {
        const document = await requireDocument(tx, tenantId, docId);
        const versions = await listVersions(tx, tenantId, docId);
        const wanted =
          version === undefined ? servedLast(versions) : versions.find(({ version_no: number }) => number === version);
        if (wanted === undefined || !(await reactivateVersion(tx, wanted.doc_version_id)))
          throw new MillraceError('document_version_not_found', { document: docId, version: version ?? 'newest' });
        if ((await findTombstone(tx, tenantId, document.source_uri)) !== undefined)
          await liftTombstones(tx, tenantId, document.source_uri, call.principal.actor);
      });
      return look(call, (db, tenantId) => showDocument(db, tenantId, docId));
    }),
  };
}

/** What people saw last. Versions are numbered as their runs began, so the highest number may be of content that was never served. */
function servedLast(versions: readonly VersionRow[]): VersionRow | undefined {
  const servedAt = ({ activated_at: at }: VersionRow) => at?.getTime() ?? 0;
  return versions.toSorted((one, other) => servedAt(other) - servedAt(one))[0];
}

function purgeHandlers(deps: DocumentsDeps): Handlers {
  return {
    ...handle('documents.purge', async (call) => {
      const { doc_id: docId } = call.params;
      const { tenantId } = call.principal;
      const purged = await inRole(call, 'documents_purge', docId, {}, async (tx) => {
        const document = await requireDocument(tx, tenantId, docId);
        await lockDocument(tx, docId);
        const live = await findLiveRun(tx, tenantId, docId);
        if (live !== undefined)
          throw new MillraceError('document_still_running', { document: docId, run: live.run_id });
        const counts = await purgeDocument(tx, tenantId, docId);
        await insertTombstone(tx, {
          tombstoneId: uuidv7(),
          tenantId,
          docId,
          sourceUri: document.source_uri,
          kind: 'purged',
          sourceSeq: Number.MAX_SAFE_INTEGER,
          by: call.principal.actor,
          reason: call.query.reason ?? null,
        });
        return { ...counts, keys: await expireBlobs(tx, counts.blobs) };
      });
      // The rows say that the bytes are gone; the sweeper takes what cannot be removed now.
      for (const key of purged.keys) await deps.store.delete(parseBlobKey(key)).catch(() => undefined);
      await removeArtifacts(deps.artifacts, tenantId, docId);
      // Answers that are kept for whoever repeats a request.
      for (const operation of ['search.ask', 'search.run'] as const)
        await withTenant(call.app.pool, { tenantId, role: APP_ROLE }, (tx) => forgetAnswers(tx, tenantId, operation));
      const { versions, pages, chunks, vectors, answers, keys } = purged;
      return { doc_id: docId, versions, pages, chunks, vectors, files: keys.length, answers };
    }),
  };
}

function pageHandlers(): Handlers {
  return {
    ...handle('documents.page-retry', async (call) => {
      const { doc_id: docId, version: versionNo, page_no: pageNo } = call.params;
      const { how } = call.body;
      const engine = engineOf(call);
      const { tenantId } = call.principal;
      const { version, blob, live } = await look(call, async (db) => {
        const found = await requireVersion(db, tenantId, call.params);
        return {
          version: found,
          blob: found.blob_id === null ? undefined : await findBlob(db, found.blob_id),
          live: await findLiveRun(db, tenantId, docId),
        };
      });
      if (pageNo > version.page_count)
        throw new MillraceError('document_page_not_found', { document: docId, version: versionNo, page: pageNo });
      if (!version.is_active) throw new MillraceError('document_not_served', { document: docId });
      if (how === 'ocr' && version.source_type !== 'pdf')
        throw new MillraceError('document_page_retry_refused', {
          page: pageNo,
          reason: 'only pages of a PDF have an image',
        });
      requireBytes(blob);
      const made = await engine.run(tenantId, version.run_id);
      const before = DocumentInput.parse(made.input);
      // A fix that is on its way is part of this one: else the version that comes last would be without it.
      const under =
        live === undefined ? undefined : DocumentInput.parse((await engine.run(tenantId, live.run_id)).input);
      const isFix = under?.again === true && under.content_hash === before.content_hash;
      const { [String(pageNo)]: _, ...others } = (isFix ? under.pages : before.pages) ?? {};
      const pages = how === 'include' ? others : { ...others, [String(pageNo)]: how };
      const sourceSeq = await asApi(call, docId, { page: pageNo, how }, (tx) => observe(tx, tenantId, docId));
      const { by } = actorOf(call.principal);
      const { id } = await engine.enqueue({
        pipeline: 'documents',
        tenantId,
        input: { ...before, source_seq: sourceSeq, pages, again: true } satisfies DocumentInput,
        ...(version.blob_id === null ? {} : { blobId: version.blob_id }),
        ...(made.source_id === null ? {} : { sourceId: made.source_id }),
        ...(call.principal.kind === 'user' ? { createdBy: call.principal.actorId } : {}),
        correlationId: `page-retry:${by}`.slice(0, 200),
      });
      return { run_id: id, doc_id: docId, status: 'queued' as const };
    }),
  };
}

function asApi<T>(
  call: AnyCall,
  docId: string,
  data: Record<string, unknown>,
  work: (tx: Queryable, tenantId: string) => Promise<T>,
): Promise<T> {
  return inRole(call, 'documents_api', docId, data, work);
}

/** The change as the role that may make it, and its entry in the audit log as the app, in one transaction. */
async function inRole<T>(
  { app, principal, origin, operation, trail }: AnyCall,
  role: string,
  docId: string,
  data: Record<string, unknown>,
  work: (tx: Queryable, tenantId: string) => Promise<T>,
): Promise<T> {
  const { tenantId } = principal;
  const result = await withTenant(app.pool, { tenantId, role }, async (tx) => {
    const done = await work(tx, tenantId);
    await becomeRole(tx, APP_ROLE);
    await audit(tx, principal, origin, { action: operation, target: docId, data });
    return done;
  });
  trail.committed();
  return result;
}

async function requireDocument(tx: Queryable, tenantId: string, docId: string) {
  const document = await findDocument(tx, tenantId, docId);
  if (document === undefined) throw new MillraceError('document_not_found', { document: docId });
  return document;
}

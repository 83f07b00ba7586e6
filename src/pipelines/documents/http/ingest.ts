// POST /v1/ingest, and the intake behind it and behind every other way in: uploads that name the pipeline, watched folders, samples.
import type { z } from 'zod';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { IngestFields } from '../../../contract/pipelines/documents/api.ts';
import type { Engine } from '../../../engine/engine.ts';
import { type Handlers, handle } from '../../../http/call.ts';
import { engineOf } from '../../../http/engine-of.ts';
import { acceptUpload, onlyFor } from '../../../http/uploads/accept-upload.ts';
import type { UploadLimits } from '../../../http/uploads/upload-limits.ts';
import type { BlobStore } from '../../../platform/blob/blob-store.ts';
import type { Log } from '../../../platform/log.ts';
import type { Accepted, Intake } from '../../../sources/intake.ts';
import { type AcceptedDocument, acceptDocument, cleanTitle } from '../accept-document.ts';
import { documentExtensions, sniffDocument } from '../document-file.ts';
import { listTakenAway, withdrawDocument } from '../withdraw-document.ts';

type DocumentIntake = Intake<typeof IngestFields, Accepted & AcceptedDocument>;

const MAX_TAGS = 50;
const MAX_TAG = 100;

/** `mode`: how its runs reach their workers. */
export function documentsIntake(engine: Engine, log: Log, mode = 'ledger'): DocumentIntake {
  return {
    title: 'A document: PDF, DOCX, HTML, TXT or MD',
    accepts: documentExtensions,
    fields: IngestFields,
    sniff: sniffDocument,
    /** The word after the pipeline's name is a tag. */
    folderFields: (word) => (word === undefined ? {} : { tags: word }),
    check({ tenantId, fields }) {
      if (fields.workspace_id !== undefined && fields.workspace_id !== tenantId)
        throw new MillraceError('workspace_mismatch', { given: fields.workspace_id });
      tagsOf(fields);
    },
    withdraw: (vanished) => withdrawDocument(engine, vanished),
    decided: {
      codes: ['document_deactivated', 'document_purged'],
      among: (tenantId, uris) => listTakenAway(engine, tenantId, uris),
    },
    accept({ tenantId, fields, file, createdBy, uploader, correlationId, sourceId, origin, uniqueKey, hold }) {
      const isFolder = sourceId?.startsWith('folder:') === true;
      return acceptDocument(
        { engine, log, mode },
        {
          tenantId,
          file,
          title: fields.title,
          tags: tagsOf(fields),
          createdBy,
          correlationId,
          sourceId,
          hold,
          // A file in a folder is known by its place: other bytes under its name are a new version of it.
          ...(origin === undefined ? {} : { channel: origin.kind, sourceUri: origin.uri, uniqueKey }),
          ...(isFolder ? { channel: 'folder', sourceUri: `${sourceId}/${file.originalName}` } : {}),
          by: uploader ?? { name: sourceId ?? createdBy ?? 'upload', isAdmin: false },
        },
      );
    },
  };
}

export function ingestHandler({
  store,
  limits,
  mode = 'ledger',
}: {
  readonly store: BlobStore;
  readonly limits: UploadLimits;
  readonly mode?: string;
}): Handlers {
  return handle('documents.ingest', async (call) => {
    const { app, principal, origin, request, reply } = call;
    const engine = engineOf(call);
    const { answer } = await acceptUpload(
      { store, pool: app.pool, control: engine.pools.control, limits },
      request,
      {
        tenantId: principal.tenantId,
        createdBy: principal.kind === 'user' ? principal.actorId : undefined,
        uploader: { name: principal.actor, isAdmin: principal.role === 'admin' },
        correlationId: origin.correlationId ?? undefined,
      },
      onlyFor(documentsIntake(engine, app.log, mode)),
    );
    call.trail.acted({ target: answer.docId, data: { created: answer.created } });
    reply.code(answer.created ? 202 : 200);
    if (!answer.created)
      return {
        doc_id: answer.docId,
        status: 'skipped' as const,
        reason: 'already ingested, no changes',
        ...((answer.updated ?? []).length > 0 ? { updated: [...(answer.updated ?? [])] } : {}),
      };
    return { run_id: answer.runId, doc_id: answer.docId, status: 'queued' as const };
  });
}

function tagsOf({ tags }: z.output<typeof IngestFields>): readonly string[] | undefined {
  if (tags === undefined) return undefined;
  const words = [...new Set(tags.split(',').map(cleanTitle))].filter((word) => word !== '');
  if (words.length > MAX_TAGS || words.some((word) => word.length > MAX_TAG))
    throw new MillraceError('upload_fields_invalid', {
      faults: `tags: at most ${MAX_TAGS}, of ${MAX_TAG} characters each`,
    });
  return words;
}

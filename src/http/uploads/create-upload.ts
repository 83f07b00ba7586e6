// POST /v1/uploads: a file as multipart/form-data, or rows as JSON. Which fields and files a pipeline takes, and what its run is asked to
// do, is the pipeline's affair (UploadDoor); here are the bytes, the credential and the answer.
import { UploadFields } from '../../contract/api/uploads.ts';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { discardFile, findSameBytes, recordBlob } from '../../engine/blobs/blobs.ts';
import { type Sniff, type StoredFile, storeFile } from '../../engine/blobs/store-file.ts';
import type { Engine } from '../../engine/engine.ts';
import type { BlobStore } from '../../platform/blob/blob-store.ts';
import { withTenant } from '../../platform/database.ts';
import { type Call, type Handlers, handle } from '../call.ts';
import { engineOf } from '../engine-of.ts';
import { requireOwnWorkspace } from '../plugins/workspace-guard.ts';
import { acceptUpload } from './accept-upload.ts';
import type { UploadLimits } from './upload-limits.ts';

type Fields = ReturnType<typeof UploadFields.parse>;

export interface UploadDoor {
  readonly sniff: Sniff;
  /** The run's input; throws to refuse the fields. */
  readonly inputOf: (
    fields: Fields,
    received: { readonly filename: string; readonly at: Date; readonly sameBytesAs?: string | undefined },
    tenantId: string,
  ) => unknown | Promise<unknown>;
  /** Rows sent as JSON as a file; left out, the pipeline takes files only. */
  readonly fileOfRows?: (body: unknown) => {
    readonly fields: Fields;
    readonly bytes: Buffer;
    readonly filename: string;
  };
}

export interface CreateUploadDeps {
  readonly store: BlobStore;
  readonly limits: UploadLimits;
  /** By pipeline. */
  readonly doors: Readonly<Record<string, UploadDoor>>;
}

const DEFAULT_PIPELINE = 'ads';
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function createUploadHandlers(deps: CreateUploadDeps): Handlers {
  return handle('uploads.create', async (call) => {
    const isJson = /^application\/json\b/i.test(call.request.headers['content-type'] ?? '');
    return isJson ? acceptRows(call, deps) : acceptFile(call, deps);
  });
}

async function acceptFile(call: Call<'uploads.create'>, deps: CreateUploadDeps) {
  const engine = engineOf(call);
  const { store, limits } = deps;
  const uploader = { tenantId: call.principal.tenantId, userId: userOf(call) };
  // The pipeline is a field of the form; until it is known the file is judged by what any pipeline would take.
  const sniff = Object.values(deps.doors)[0]?.sniff;
  if (sniff === undefined) throw new MillraceError('not_available', { operation: call.operation });
  const { run } = await acceptUpload(
    { store, app: call.app.pool, engine: engine.pools.control, limits },
    call.request,
    uploader,
    {
      sniff,
      fields: UploadFields,
      check: async (fields, file) => {
        checkCredential(call, fields);
        // Refused before anything is recorded.
        await inputFor(call, deps, fields, { filename: file.originalName });
      },
      enqueue: async ({ fields, file }) => enqueue(call, deps, engine, fields, file),
    },
  );
  return run;
}

async function acceptRows(call: Call<'uploads.create'>, deps: CreateUploadDeps) {
  const engine = engineOf(call);
  const { tenantId } = call.principal;
  const body = call.body as { pipeline?: string } | null;
  const door = doorOf(deps, body?.pipeline);
  if (door.fileOfRows === undefined) throw new MillraceError('upload_not_multipart');
  const { fields, bytes, filename } = door.fileOfRows(body);
  checkCredential(call, fields);
  await inputFor(call, deps, fields, { filename });
  const file = await storeFile(deps.store, {
    tenantId,
    fileName: filename,
    body: once(bytes),
    maxBytes: deps.limits.maxFileBytes,
    sniff: () => ({ format: 'json', mediaType: 'application/json' }),
  });
  try {
    await withTenant(call.app.pool, { tenantId, role: 'millrace_app' }, (db) =>
      recordBlob(db, file, { createdBy: userOf(call) }),
    );
    return await enqueue(call, deps, engine, fields, file);
  } catch (error) {
    if (error instanceof MillraceError && error.kind === 'input')
      await discardFile(engine.pools.control, deps.store, file).catch(() => undefined);
    throw error;
  }
}

async function enqueue(
  call: Call<'uploads.create'>,
  deps: CreateUploadDeps,
  engine: Engine,
  fields: Fields,
  file: StoredFile,
) {
  const { tenantId } = call.principal;
  const same = await withTenant(call.app.pool, { tenantId, role: 'millrace_app' }, (db) => findSameBytes(db, file));
  const input = await inputFor(call, deps, fields, { filename: file.originalName, sameBytesAs: same?.runId });
  const createdBy = userOf(call);
  const { id, created } = await engine.enqueue({
    pipeline: fields.pipeline ?? DEFAULT_PIPELINE,
    tenantId,
    input,
    blobId: file.blobId,
    correlationId: call.request.id,
    ...uniqueBy(call.idempotencyKey, file),
    ...(createdBy === undefined ? {} : { createdBy }),
  });
  // The run has its own copy.
  if (!created) await discardFile(engine.pools.control, deps.store, file).catch(() => undefined);
  const isOther = same !== undefined && same.runId !== id;
  return { upload_id: id, status: 'pending', ...(isOther ? { same_bytes_as: same.runId } : {}) };
}

/**
 * The same bytes under the same Idempotency-Key are one run, also when the process that made it died before its answer was kept. By the
 * bytes too, so that a key somebody uses again much later for another file does not lead to the old run.
 */
function uniqueBy(key: string | undefined, file: StoredFile): { uniqueKey?: string } {
  return key === undefined ? {} : { uniqueKey: `upload:${key}:${file.sha256.toString('hex')}` };
}

async function inputFor(
  call: Call<'uploads.create'>,
  deps: CreateUploadDeps,
  fields: Fields,
  received: { readonly filename: string; readonly sameBytesAs?: string | undefined },
): Promise<unknown> {
  return doorOf(deps, fields.pipeline).inputOf(fields, { ...received, at: new Date() }, call.principal.tenantId);
}

function doorOf(deps: CreateUploadDeps, pipeline: string = DEFAULT_PIPELINE): UploadDoor {
  const door = deps.doors[pipeline];
  if (door === undefined)
    throw new MillraceError('pipeline_unknown', { pipeline, known: Object.keys(deps.doors).join(', ') });
  return door;
}

/** Who hands something in, and for which workspace, is known from the credential; a field may repeat it, not change it. */
function checkCredential(call: Call<'uploads.create'>, fields: Fields): void {
  requireOwnWorkspace(call.request, fields.workspace_id);
  if (fields.created_by !== undefined && fields.created_by !== call.principal.actorId)
    throw new MillraceError('upload_fields_invalid', { faults: 'created_by: is not the caller' });
}

function userOf({ principal }: Call<'uploads.create'>): string | undefined {
  return uuid.test(principal.actorId) ? principal.actorId : undefined;
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

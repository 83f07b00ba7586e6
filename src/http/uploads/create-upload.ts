// POST /v1/uploads: a file or rows for the pipeline that the upload names, or for the one that takes uploads by default. What a file may
// be and what it becomes the pipeline decides (its intake); here are the bytes, the credential and the answer.
import { makerOf } from '../../access/principal.ts';
import type { UploadFields } from '../../contract/api/uploads.ts';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { once, type StoredFile, storeFile } from '../../engine/blobs/store-file.ts';
import type { BlobStore } from '../../platform/blob/blob-store.ts';
import { type Accepted, acceptFile, type Intake } from '../../sources/intake.ts';
import { type Call, type Handlers, handle } from '../call.ts';
import { engineOf } from '../engine-of.ts';
import { partsOf } from '../pipeline-parts.ts';
import { requireOwnWorkspace } from '../plugins/workspace-guard.ts';
import { acceptUpload } from './accept-upload.ts';
import type { UploadLimits } from './upload-limits.ts';

type UploadCall = Call<'uploads.create'>;
type CredentialFields = Partial<Pick<ReturnType<typeof UploadFields.parse>, 'workspace_id' | 'created_by'>>;

export interface CreateUploadDeps {
  readonly store: BlobStore;
  readonly limits: UploadLimits;
}

export function createUploadHandlers(deps: CreateUploadDeps): Handlers {
  return handle('uploads.create', async (call) => {
    const isJson = /^application\/json\b/i.test(call.request.headers['content-type'] ?? '');
    return isJson ? acceptRows(call, deps) : acceptMultipart(call, deps);
  });
}

async function acceptMultipart(call: UploadCall, { store, limits }: CreateUploadDeps) {
  const { control } = engineOf(call).pools;
  const intakes = intakesOf(call);
  const { answer, sameBytesAs } = await acceptUpload(
    { store, pool: call.app.pool, control, limits },
    call.request,
    { ...uploaderOf(call), uniqueKeyOf: (file) => uniqueKeyOf(call, file) },
    {
      candidates: Object.values(intakes),
      soFar: (fields) => (fields.has('pipeline') ? intakeFor(call, fields.get('pipeline')) : undefined),
      choose: (fields) => guarded(call, intakeFor(call, fields.get('pipeline'))),
    },
  );
  call.trail.acted({ target: answer.runId });
  return viewUpload(answer, sameBytesAs);
}

async function acceptRows(call: UploadCall, { store, limits }: CreateUploadDeps) {
  const intake = intakeFor(call, (call.body as { pipeline?: string } | null)?.pipeline);
  if (intake.fileOfRows === undefined) throw new MillraceError('upload_not_multipart');
  const { fields, bytes, filename } = intake.fileOfRows(call.body);
  checkCredential(call, fields as CredentialFields);
  const uploader = uploaderOf(call);
  const file = await storeFile(store, {
    tenantId: uploader.tenantId,
    fileName: filename,
    body: once(bytes),
    maxBytes: limits.maxFileBytes,
    sniff: () => ({ format: 'json', mediaType: 'application/json' }),
  });
  const given = { ...uploader, fields, file, at: new Date(), uniqueKey: uniqueKeyOf(call, file) };
  const deps = { store, pool: call.app.pool, control: engineOf(call).pools.control };
  const { answer, sameBytesAs } = await acceptFile(deps, intake, given);
  call.trail.acted({ target: answer.runId });
  return viewUpload(answer, sameBytesAs);
}

function viewUpload({ runId, status, updated = [] }: Accepted, sameBytesAs: string | undefined) {
  if (status === 'skipped') {
    const changed = updated.length > 0 ? { updated: [...updated] } : {};
    return { upload_id: runId, status: 'skipped', reason: 'already ingested, no changes', ...changed };
  }
  const isOther = sameBytesAs !== undefined && sameBytesAs !== runId;
  return { upload_id: runId, status: 'pending', ...(isOther ? { same_bytes_as: sameBytesAs } : {}) };
}

/** The default one first. */
function intakesOf({ app, operation }: UploadCall): Record<string, Intake> {
  const all = Object.entries(app.pipelines ?? {}).flatMap(([name, { intake, isDefault = false }]) =>
    intake === undefined ? [] : [{ name, intake, isDefault }],
  );
  if (all.length === 0) throw new MillraceError('not_available', { operation });
  all.sort((a, b) => Number(b.isDefault) - Number(a.isDefault));
  return Object.fromEntries(all.map(({ name, intake }) => [name, intake]));
}

function intakeFor(call: UploadCall, pipeline: string | undefined): Intake {
  const intakes = intakesOf(call);
  const known = Object.keys(intakes);
  const name = pipeline ?? known.find((each) => partsOf(call.app, each).isDefault) ?? '';
  const intake = Object.hasOwn(intakes, name) ? intakes[name] : undefined;
  if (intake === undefined) throw new MillraceError('pipeline_unknown', { pipeline: name, known: known.join(', ') });
  return intake;
}

/** Refused before anything is recorded. */
function guarded(call: UploadCall, intake: Intake): Intake {
  return {
    ...intake,
    async check(request) {
      checkCredential(call, request.fields as CredentialFields);
      await intake.check?.(request);
    },
  };
}

/** Who uploads, and for which workspace, is known from the credential; a field may repeat it, not change it. */
function checkCredential(call: UploadCall, fields: CredentialFields): void {
  requireOwnWorkspace(call.request, fields.workspace_id);
  if (fields.created_by !== undefined && fields.created_by !== call.principal.actorId)
    throw new MillraceError('upload_fields_invalid', { faults: 'created_by: is not the caller' });
}

/**
 * The same bytes under the same Idempotency-Key are one run, also when the process that made it died before its answer was kept. By the
 * bytes too, so that a key somebody uses again much later for another file does not lead to the old run.
 */
function uniqueKeyOf({ idempotencyKey: key }: UploadCall, file: StoredFile): string | undefined {
  return key === undefined ? undefined : `upload:${key}:${file.sha256.toString('hex')}`;
}

function uploaderOf({ principal, request }: UploadCall) {
  const createdBy = makerOf(principal);
  const uploader = { name: principal.actor, isAdmin: principal.role === 'admin' };
  return { tenantId: principal.tenantId, createdBy, uploader, correlationId: request.id };
}

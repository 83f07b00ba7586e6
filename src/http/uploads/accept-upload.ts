// An upload from its first byte to its run: bytes into the store, fields checked against the pipeline's schema, the blob's row, then
// the run. In this order nothing can claim a run whose bytes are not there. A refusal keeps nothing; a crash keeps an orphan
// that the sweeper removes.
//
// The run may exist although enqueue failed (an answer lost after commit), so the blob is only taken back when the
// refusal says that there is none.
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { discardFile, findSameBytes, recordBlob } from '../../engine/blobs/blobs.ts';
import type { Sniff, StoredFile } from '../../engine/blobs/store-file.ts';
import type { BlobStore } from '../../platform/blob/blob-store.ts';
import { type Pool, type Queryable, withTenant } from '../../platform/database.ts';
import { refuseUnknownNames } from '../known-names.ts';
import { receiveUpload } from './receive-upload.ts';
import type { UploadLimits } from './upload-limits.ts';

/** Refusals after which there is certainly no run. */
const refusals = new Set(['input', 'conflict', 'auth', 'config']);

export interface UploadDeps {
  readonly store: BlobStore;
  /** Runs as millrace_app; rows are written under the tenant's own policy. */
  readonly app: Pool;
  /** Runs as millrace_engine; only used to take back a refused file. */
  readonly engine: Queryable;
  readonly limits: UploadLimits;
}

/** What a pipeline brings to be uploaded to. */
export interface UploadKind<Fields extends z.ZodType, Run> {
  readonly sniff: Sniff;
  readonly fields: Fields;
  /** Called when file and fields are known, before anything is recorded; throws to refuse. */
  readonly check?: (fields: z.output<Fields>, file: StoredFile) => void | Promise<void>;
  readonly enqueue: (upload: { fields: z.output<Fields>; file: StoredFile }) => Promise<Run>;
}

export interface Uploader {
  readonly tenantId: string;
  readonly userId?: string | undefined;
}

export interface AcceptedUpload<Run> {
  readonly run: Run;
  readonly file: StoredFile;
  /** An earlier run that was handed exactly these bytes. */
  readonly sameBytesAs: string | undefined;
}

export async function acceptUpload<Fields extends z.ZodType, Run>(
  deps: UploadDeps,
  request: Pick<FastifyRequest, 'raw'>,
  uploader: Uploader,
  kind: UploadKind<Fields, Run>,
): Promise<AcceptedUpload<Run>> {
  const { tenantId, userId } = uploader;
  const target = { store: deps.store, tenantId, sniff: kind.sniff };
  const { fields, file } = await receiveUpload(request.raw, target, deps.limits);
  try {
    const parsed = parseFields(kind.fields, fields);
    await kind.check?.(parsed, file);
    const sameBytesAs = await withTenant(deps.app, { tenantId, role: 'millrace_app' }, async (db) => {
      await recordBlob(db, file, { createdBy: userId });
      return (await findSameBytes(db, file))?.runId;
    });
    const run = await kind.enqueue({ fields: parsed, file });
    return { run, file, sameBytesAs };
  } catch (error) {
    if (error instanceof MillraceError && refusals.has(error.kind)) {
      await discardFile(deps.engine, deps.store, file).catch(() => undefined);
    }
    throw error;
  }
}

function parseFields<Fields extends z.ZodType>(schema: Fields, fields: ReadonlyMap<string, string>): z.output<Fields> {
  if (schema instanceof z.ZodObject) refuseUnknownNames('form field', [...fields.keys()], Object.keys(schema.shape));
  const result = schema.safeParse(Object.fromEntries(fields));
  if (result.success) return result.data;
  const faults = result.error.issues.map(({ path, message }) => `${path.join('.') || 'fields'}: ${message}`);
  throw new MillraceError('upload_fields_invalid', { faults: faults.join('; ') });
}

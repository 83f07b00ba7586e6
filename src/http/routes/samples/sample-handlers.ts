// GET /v1/samples and POST /v1/samples/:name/run: a sample is handed in as if it had been uploaded, through the same door.
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { findSameBytes, recordBlob } from '../../../engine/blobs/blobs.ts';
import { storeFile } from '../../../engine/blobs/store-file.ts';
import type { BlobStore } from '../../../platform/blob/blob-store.ts';
import { withTenant } from '../../../platform/database.ts';
import { type Handlers, handle } from '../../call.ts';
import { engineOf } from '../../engine-of.ts';
import type { UploadDoor } from '../../uploads/create-upload.ts';
import { listSampleFiles, readSample, samples } from './samples.ts';

export interface SampleDeps {
  readonly store: BlobStore;
  /** By pipeline. */
  readonly doors: Readonly<Record<string, UploadDoor>>;
}

const MAX_SAMPLE_BYTES = 1024 ** 2;

export function sampleHandlers({ store, doors }: SampleDeps): Handlers {
  return {
    ...handle('samples.list', async () => ({ data: await listSampleFiles() })),
    ...handle('samples.run', async (call) => {
      const { name } = call.params;
      const sample = samples.find((candidate) => candidate.name === name);
      const door = sample === undefined ? undefined : doors[sample.pipeline];
      if (sample === undefined || door === undefined) throw new MillraceError('sample_not_found', { sample: name });
      const { app, principal, request } = call;
      const { tenantId } = principal;
      const createdBy = principal.kind === 'user' ? principal.actorId : undefined;
      const file = await storeFile(store, {
        tenantId,
        fileName: sample.filename,
        body: once(await readSample(sample)),
        maxBytes: MAX_SAMPLE_BYTES,
        sniff: door.sniff,
      });
      const same = await withTenant(app.pool, { tenantId, role: 'millrace_app' }, async (db) => {
        await recordBlob(db, file, { createdBy });
        return findSameBytes(db, file);
      });
      const fields = { pipeline: sample.pipeline, ...(sample.platform === null ? {} : { platform: sample.platform }) };
      const received = { filename: file.originalName, at: new Date(), sameBytesAs: same?.runId };
      const { id } = await engineOf(call).enqueue({
        pipeline: sample.pipeline,
        tenantId,
        input: await door.inputOf(fields, received, tenantId),
        blobId: file.blobId,
        correlationId: request.id,
        ...(createdBy === undefined ? {} : { createdBy }),
      });
      return { upload_id: id, status: 'pending', ...(same === undefined ? {} : { same_bytes_as: same.runId }) };
    }),
  };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

// GET /v1/samples and POST /v1/samples/:name/run: a sample is handed in as if it had been uploaded, through the same door.
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { discardFile, findSameBytes, recordBlob } from '../../../engine/blobs/blobs.ts';
import { type Sniff, storeFile } from '../../../engine/blobs/store-file.ts';
import { acceptBatch } from '../../../pipelines/judgments/accept-batch.ts';
import type { BlobStore } from '../../../platform/blob/blob-store.ts';
import { withTenant } from '../../../platform/database.ts';
import { sniffTableFile } from '../../../tabular/content/table-file.ts';
import { type Call, type Handlers, handle } from '../../call.ts';
import { engineOf } from '../../engine-of.ts';
import type { UploadDoor } from '../../uploads/create-upload.ts';
import { listSampleFiles, readSample, type SampleFile, samples } from './samples.ts';

export interface SampleDeps {
  readonly store: BlobStore;
  /** By pipeline. */
  readonly doors: Readonly<Record<string, UploadDoor>>;
}

const MAX_SAMPLE_BYTES = 1024 ** 2;

export function sampleHandlers(deps: SampleDeps): Handlers {
  return {
    ...handle('samples.list', async () => ({ data: await listSampleFiles() })),
    ...handle('samples.run', async (call) => {
      const { name } = call.params;
      const sample = samples.find((candidate) => candidate.name === name);
      if (sample === undefined) throw new MillraceError('sample_not_found', { sample: name });
      return sample.pipeline === 'judgments' ? handInBatch(call, deps, sample) : handInUpload(call, deps, sample);
    }),
  };
}

async function handInUpload(call: Call<'samples.run'>, { store, doors }: SampleDeps, sample: SampleFile) {
  const door = doors[sample.pipeline];
  if (door === undefined) throw new MillraceError('sample_not_found', { sample: sample.name });
  const { tenantId } = call.principal;
  const { file, sameBytesAs } = await keep(call, store, sample, door.sniff);
  const fields = { pipeline: sample.pipeline, ...(sample.platform === null ? {} : { platform: sample.platform }) };
  const received = { filename: file.originalName, at: new Date(), sameBytesAs };
  const { id } = await engineOf(call).enqueue({
    pipeline: sample.pipeline,
    tenantId,
    input: await door.inputOf(fields, received, tenantId),
    blobId: file.blobId,
    correlationId: call.request.id,
    ...byWhom(call),
  });
  return { upload_id: id, status: 'pending', ...(sameBytesAs === undefined ? {} : { same_bytes_as: sameBytesAs }) };
}

/** A batch is taken once: the second click leads to the run of the first. */
async function handInBatch(call: Call<'samples.run'>, { store }: SampleDeps, sample: SampleFile) {
  const engine = engineOf(call);
  const { file } = await keep(call, store, sample, sniffTableFile);
  const request = { tenantId: call.principal.tenantId, file, correlationId: call.request.id, ...byWhom(call) };
  const batch = await acceptBatch({ engine, log: call.app.log }, request);
  if (batch.outcome === 'skipped') await discardFile(engine.pools.control, store, file);
  return { upload_id: batch.runId, status: batch.status };
}

async function keep(call: Call<'samples.run'>, store: BlobStore, sample: SampleFile, sniff: Sniff) {
  const { tenantId } = call.principal;
  const body = once(await readSample(sample));
  const file = await storeFile(store, {
    tenantId,
    fileName: sample.filename,
    body,
    maxBytes: MAX_SAMPLE_BYTES,
    sniff,
  });
  const same = await withTenant(call.app.pool, { tenantId, role: 'millrace_app' }, async (db) => {
    await recordBlob(db, file, byWhom(call));
    return findSameBytes(db, file);
  });
  return { file, sameBytesAs: same?.runId };
}

function byWhom({ principal }: Call<'samples.run'>): { createdBy?: string } {
  return principal.kind === 'user' ? { createdBy: principal.actorId } : {};
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

// GET and PUT /v1/uploads/:upload_id/reading: how the file was read, and how it is to be read instead.
import type { z } from 'zod';
import type { AnswerOf } from '../../../contract/api/client.ts';
import type { ReadingOverrides as GivenOverrides } from '../../../contract/api/reading.ts';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { findBlob } from '../../../engine/blobs/blobs.ts';
import { readShownRun } from '../../../engine/reads/read-run.ts';
import { type Handlers, handle } from '../../../http/call.ts';
import type { RunCall } from '../../../http/reading/reading-tools.ts';
import { sampleOf, setAsideOf, viewReading } from '../../../http/reading/view-reading.ts';
import { change, look } from '../../../http/routes/change.ts';
import type { BlobStore } from '../../../platform/blob/blob-store.ts';
import type { Queryable } from '../../../platform/database.ts';
import { blobSource } from '../../../tabular/blob-source.ts';
import type { ByteSource } from '../../../tabular/byte-source.ts';
import type { ReadingOverrides } from '../../../tabular/reading.ts';
import { overridesFrom } from '../../../tabular/reading-overrides.ts';
import { AdsInput } from '../input.ts';
import { decideReading } from '../reading.ts';
import { selectOverrides, selectUploadReading, upsertOverrides } from '../sql/upload-readings.ts';

export function readingHandlers({ store }: { readonly store: BlobStore }): Handlers {
  return {
    ...handle('uploads.reading', (call) => showReading(call, store, call.params.upload_id)),
    ...handle('uploads.override', (call) => overrideReading(call, store, call.params.upload_id, call.body)),
  };
}

export async function showReading(
  call: RunCall,
  store: BlobStore,
  upload: string,
): Promise<AnswerOf<'uploads.reading'>> {
  const { source, stored } = await look(call, async (db, tenantId) => ({
    source: (await requireUpload(db, store, tenantId, upload)).source,
    stored: await selectUploadReading(db, upload),
  }));
  if (stored === undefined) throw new MillraceError('reading_not_ready', { upload });
  return viewReading(upload, stored.reading, stored.furniture, await sampleOf(source, stored.reading));
}

export async function overrideReading(
  call: RunCall,
  store: BlobStore,
  upload: string,
  given: z.output<typeof GivenOverrides>,
): Promise<AnswerOf<'uploads.reading'>> {
  const { source, input, before } = await look(call, async (db, tenantId) => {
    const found = await requireUpload(db, store, tenantId, upload);
    return { ...found, before: await overridesOf(db, upload, found.input) };
  });
  const overrides = overridesFrom(given, before);
  // Tried on the file before it is kept: an override that cannot work is refused here, not at the retry.
  const reading = await decideReading(source, input.platform, { overrides });
  await change(
    call,
    (db, tenantId) => upsertOverrides(db, { uploadId: upload, workspaceId: tenantId, overrides }),
    () => ({ target: upload }),
  );
  return viewReading(upload, reading, setAsideOf(reading), await sampleOf(source, reading));
}

/** What was said so far about how to read the upload: afterwards, else when it was uploaded. */
export async function overridesOf(db: Queryable, upload: string, input: AdsInput): Promise<ReadingOverrides> {
  return (await selectOverrides(db, upload)) ?? (input.reading as ReadingOverrides | undefined) ?? {};
}

/** The upload's file and what was asked of it; another tenant's is as good as none. */
export async function requireUpload(
  db: Queryable,
  store: BlobStore,
  tenantId: string,
  upload: string,
): Promise<{ source: ByteSource; input: AdsInput }> {
  const run = await readShownRun(db, tenantId, upload);
  const blob = run?.blob_id == null ? undefined : await findBlob(db, run.blob_id);
  if (run === undefined || run.pipeline !== 'ads' || blob === undefined)
    throw new MillraceError('upload_not_found', { upload });
  return { source: blobSource(store, blob), input: AdsInput.parse(run.input) };
}

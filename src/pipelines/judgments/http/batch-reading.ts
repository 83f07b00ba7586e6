// GET and PUT /v1/batches/:batch_id/reading: how the batch's file was read, and how it is to be read instead.
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { findBlob } from '../../../engine/blobs/blobs.ts';
import { type Handlers, handle } from '../../../http/call.ts';
import { furnitureOf, sampleOf, viewReading } from '../../../http/reading/view-reading.ts';
import { change, look } from '../../../http/routes/change.ts';
import { readRun } from '../../../http/sql/read-run.ts';
import type { BlobStore } from '../../../platform/blob/blob-store.ts';
import type { Queryable } from '../../../platform/database.ts';
import { blobSource } from '../../../tabular/blob-source.ts';
import type { ByteSource } from '../../../tabular/byte-source.ts';
import { overridesFrom } from '../../../tabular/reading-overrides.ts';
import { decideReading } from '../reading.ts';
import { selectBatchReading, selectOverrides, upsertOverrides } from '../sql/batch-readings.ts';
import { findNewestRevision } from '../sql/find-batch.ts';

export function batchReadingHandlers({ store }: { readonly store: BlobStore }): Handlers {
  return {
    ...handle('batches.reading', async (call) => {
      const { source, runId, stored } = await look(call, async (db, tenantId) => {
        const batch = await requireBatch(db, store, tenantId, call.params.batch_id);
        return { ...batch, stored: await selectBatchReading(db, batch.runId) };
      });
      if (stored === undefined) throw new MillraceError('reading_not_ready', { upload: runId });
      const { reading } = stored;
      return viewReading(runId, reading, furnitureOf(reading), await sampleOf(source, reading));
    }),
    ...handle('batches.override', async (call) => {
      const { source, runId, before } = await look(call, async (db, tenantId) => {
        const batch = await requireBatch(db, store, tenantId, call.params.batch_id);
        return { ...batch, before: (await selectOverrides(db, batch.runId)) ?? {} };
      });
      const overrides = overridesFrom(call.body, before);
      // Tried on the file before it is kept: an override that cannot work is refused here, not at the retry.
      const reading = await decideReading(source, { overrides });
      await change(
        call,
        (db, tenantId) => upsertOverrides(db, { batchId: runId, tenantId, overrides }),
        () => ({ target: call.params.batch_id }),
      );
      return viewReading(runId, reading, furnitureOf(reading), await sampleOf(source, reading));
    }),
  };
}

/** The newest revision of the batch and its file; another tenant's is as good as none. */
async function requireBatch(
  db: Queryable,
  store: BlobStore,
  tenantId: string,
  batch: string,
): Promise<{ readonly source: ByteSource; readonly runId: string }> {
  const newest = await findNewestRevision(db, tenantId, batch);
  const run = newest === undefined ? undefined : await readRun(db, tenantId, newest.id);
  const blob = run?.blob_id == null ? undefined : await findBlob(db, run.blob_id);
  if (run === undefined || blob === undefined) throw new MillraceError('batch_not_found', { batch });
  return { source: blobSource(store, blob), runId: run.id };
}

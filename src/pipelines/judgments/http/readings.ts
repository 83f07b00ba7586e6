// Where judgments keep how a batch was read, and how its columns are understood.
import { findBlob } from '../../../engine/blobs/blobs.ts';
import type { RunReadings } from '../../../http/reading/reading-tools.ts';
import { tableReadings } from '../../../http/reading/readings.ts';
import type { BlobStore } from '../../../platform/blob/blob-store.ts';
import { blobSource } from '../../../tabular/blob-source.ts';
import { judgmentFields } from '../fields.ts';
import { decideMapping, decideReading } from '../reading.ts';
import { selectBatchReading, selectOverrides, upsertOverrides } from '../sql/batch-readings.ts';

export function judgmentsReadings(store: BlobStore): RunReadings {
  return tableReadings({
    fields: judgmentFields,
    requiredFields: ['case_number'],
    async source(db, { blob_id: blobId }) {
      const blob = blobId === null ? undefined : await findBlob(db, blobId);
      return blob && blobSource(store, blob);
    },
    stored: (db, run) => selectBatchReading(db, run.id),
    overrides: async (db, run) => (await selectOverrides(db, run.id)) ?? {},
    keepOverrides: (db, run, overrides) => upsertOverrides(db, { batchId: run.id, tenantId: run.tenant_id, overrides }),
    decideReading: (source, _run, overrides) => decideReading(source, { overrides }),
    decideMapping: (reading, _run, saved) => decideMapping(reading, saved),
    mappingName: () => 'judgments',
  });
}

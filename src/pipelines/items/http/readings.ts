// Reading and mapping of a job's file under its run. An override can only take effect while no row is stored: rows with a fate are not read
// again. A mapping takes effect for the rows that are processed again.
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { findBlob } from '../../../engine/blobs/blobs.ts';
import type { ShownRun } from '../../../engine/reads/run-columns.ts';
import type { RunReadings } from '../../../http/reading/reading-tools.ts';
import { tableReadings } from '../../../http/reading/readings.ts';
import type { BlobStore } from '../../../platform/blob/blob-store.ts';
import { blobSource } from '../../../tabular/blob-source.ts';
import { itemFields } from '../fields.ts';
import { ItemsInput } from '../input.ts';
import { decideMapping, decideReading } from '../reading.ts';
import { keepMapping, keepOverrides, selectIngest } from '../sql/jobs.ts';

const inputOf = (run: ShownRun) => ItemsInput.parse(run.input);

export function itemsReadings(store: BlobStore): RunReadings {
  const readings = tableReadings({
    fields: itemFields,
    requiredFields: [],
    async source(db, { blob_id: blobId }) {
      const blob = blobId === null ? undefined : await findBlob(db, blobId);
      return blob === undefined || blob.deleted_at !== null ? undefined : blobSource(store, blob);
    },
    async stored(db, run) {
      const { reading = null, mapping = null } = (await selectIngest(db, inputOf(run).job_id)) ?? {};
      return reading === null ? undefined : { reading, mapping: mapping ?? decideMapping(reading, null) };
    },
    overrides: async (db, run) => (await selectIngest(db, inputOf(run).job_id))?.overrides ?? {},
    async keepOverrides(db, run, overrides) {
      const { job_id: job } = inputOf(run);
      if (!(await keepOverrides(db, job, overrides))) throw new MillraceError('rows_stored_already', { run: run.id });
    },
    decideReading: (source, run, overrides) => decideReading(source, inputOf(run).filename, overrides ?? {}),
    decideMapping: (reading, _run, saved) => decideMapping(reading, saved),
    keepMapping: (db, run, mapping) => keepMapping(db, inputOf(run).job_id, mapping),
    mappingName: () => 'items',
  });
  return {
    reading: (call, run) => readings.reading(call, ofTable(call.operation, run)),
    override: (call, run, given) => readings.override(call, ofTable(call.operation, run), given),
    mapping: (call, run) => readings.mapping(call, ofTable(call.operation, run)),
    map: (call, run, given) => readings.map(call, ofTable(call.operation, run), given),
  };
}

/** An archive of images has no columns. */
function ofTable(operation: string, run: ShownRun): ShownRun {
  if (inputOf(run).job_type === 'csv') return run;
  throw new MillraceError('not_available', { operation: `${operation} of a job of images` });
}

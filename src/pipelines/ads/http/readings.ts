// Reading and mapping of a run of ads: those of its upload, which has the same id.
import type { RunReadings } from '../../../http/reading/reading-tools.ts';
import type { BlobStore } from '../../../platform/blob/blob-store.ts';
import { mapColumns, showMapping } from './mapping.ts';
import { overrideReading, showReading } from './reading.ts';

export function adsReadings(store: BlobStore): RunReadings {
  return {
    reading: (call, run) => showReading(call, store, run.id),
    override: (call, run, given) => overrideReading(call, store, run.id, given),
    mapping: (call, run) => showMapping(call, store, run.id),
    map: (call, run, given) => mapColumns(call, store, run.id, given),
  };
}

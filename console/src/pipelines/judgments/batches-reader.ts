// Reading and mapping of a batch, which is known by the id it was submitted under.
import { call } from '../../app/api.ts';
import type { FileReader, RunFile } from '../kit.ts';
import { fromBatch } from './from-batch.ts';

export const batchesReader: FileReader = {
  hasConstants: false,
  reading: (run, signal) => call('batches.reading', { params: paramsOf(run), ...(signal && { signal }) }),
  override: (run, body) => call('batches.override', { params: paramsOf(run), body }),
  async mapping(run, signal) {
    const asked = { params: paramsOf(run), ...(signal && { signal }) };
    const [mapping, reading] = await Promise.all([call('batches.mapping', asked), call('batches.reading', asked)]);
    return fromBatch(mapping, reading.sample);
  },
  async saveMapping(run, { columns, name }) {
    const params = paramsOf(run);
    const saved = await call('batches.map', { params, body: { columns, ...(name && { name }) } });
    return fromBatch(saved, (await call('batches.reading', { params })).sample);
  },
};

function paramsOf({ run_id, input }: RunFile) {
  return { batch_id: typeof input.source_batch_id === 'string' ? input.source_batch_id : run_id };
}

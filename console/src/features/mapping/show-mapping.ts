import { queryOptions } from '@tanstack/react-query';
import type { AnswerOf } from '../../../../src/contract/api/client.ts';
import { call } from '../../app/api.ts';
import { batchOf, type RunFile } from '../reading/run-file.ts';
import { fromBatch } from './from-batch.ts';

export type Mapping = AnswerOf<'uploads.mapping'>;

export function mappingQuery(run: RunFile) {
  return queryOptions({
    queryKey: ['run', run.run_id, 'mapping'],
    queryFn: ({ signal }) => showMapping(run, signal),
    retry: false,
    refetchOnWindowFocus: false,
  });
}

async function showMapping(run: RunFile, signal: AbortSignal): Promise<Mapping> {
  const batch = batchOf(run);
  if (batch === undefined) return call('uploads.mapping', { params: { upload_id: run.run_id }, signal });
  const params = { batch_id: batch };
  const [mapping, reading] = await Promise.all([
    call('batches.mapping', { params, signal }),
    call('batches.reading', { params, signal }),
  ]);
  return fromBatch(mapping, reading.sample);
}

export interface MappingChange {
  readonly columns: { index: number; field: string | null }[];
  /** What every row of an upload has; a batch has none. Left out: as before. */
  readonly constants?: Record<string, string>;
  readonly name?: string;
}

/** Saves the columns as a new version and gives what holds from now on. */
export async function saveMapping(run: RunFile, { constants, ...body }: MappingChange): Promise<Mapping> {
  const batch = batchOf(run);
  if (batch === undefined)
    return call('uploads.map', {
      params: { upload_id: run.run_id },
      body: { ...body, ...(constants && { constants }) },
    });
  const params = { batch_id: batch };
  const saved = await call('batches.map', { params, body });
  return fromBatch(saved, (await call('batches.reading', { params })).sample);
}

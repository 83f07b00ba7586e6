import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { CallArgs } from '../../../../src/contract/api/client.ts';
import { call } from '../../app/api.ts';
import { batchOf, type RunFile } from './run-file.ts';
import { readingQuery } from './show-reading.ts';

export type Overrides = CallArgs<'uploads.override'>['body'];

/** Says how the file is to be read instead. It takes effect when the run is retried. */
export function useOverrideReading(run: RunFile) {
  const client = useQueryClient();
  const batch = batchOf(run);
  return useMutation({
    mutationFn: (body: Overrides) =>
      batch === undefined
        ? call('uploads.override', { params: { upload_id: run.run_id }, body })
        : call('batches.override', { params: { batch_id: batch }, body }),
    onSuccess: (reading) => client.setQueryData(readingQuery(run).queryKey, reading),
  });
}

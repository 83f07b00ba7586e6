import { useMutation, useQueryClient } from '@tanstack/react-query';
import { runPartsOf } from '../../pipelines/all.ts';
import type { ReadingOverrides, RunFile } from '../../pipelines/kit.ts';
import { readingQuery } from './show-reading.ts';

export type Overrides = ReadingOverrides;

/** Says how the file is to be read instead. It takes effect when the run is retried. */
export function useOverrideReading(run: RunFile) {
  const client = useQueryClient();
  const { reader } = runPartsOf(run.pipeline);
  return useMutation({
    mutationFn: async (body: Overrides) => (await reader?.override(run, body)) ?? null,
    onSuccess: (reading) => client.setQueryData(readingQuery(run).queryKey, reading),
  });
}

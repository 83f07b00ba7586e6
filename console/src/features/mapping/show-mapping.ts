import { queryOptions } from '@tanstack/react-query';
import { runPartsOf } from '../../pipelines/all.ts';
import type { Mapping, MappingChange, RunFile } from '../../pipelines/kit.ts';

export type { Mapping } from '../../pipelines/kit.ts';

/** Nothing where the pipeline has no columns to map. */
export function mappingQuery(run: RunFile) {
  return queryOptions({
    queryKey: ['run', run.run_id, 'mapping'],
    queryFn: async ({ signal }): Promise<Mapping | null> =>
      (await runPartsOf(run.pipeline).reader?.mapping(run, signal)) ?? null,
    retry: false,
    refetchOnWindowFocus: false,
  });
}

/** Saves the columns as a new version and gives what holds from now on. */
export async function saveMapping(run: RunFile, change: MappingChange): Promise<Mapping> {
  const { reader } = runPartsOf(run.pipeline);
  if (!reader) throw new Error(`Runs of ${run.pipeline} have no mapping.`);
  return reader.saveMapping(run, change);
}

import { queryOptions } from '@tanstack/react-query';
import { runPartsOf } from '../../pipelines/all.ts';
import type { Reading, RunFile } from '../../pipelines/kit.ts';

export type { Reading } from '../../pipelines/kit.ts';

/** A pipeline that has no reader answers with nothing: it alone knows about its files. */
export function readingQuery(run: RunFile) {
  return queryOptions({
    queryKey: ['run', run.run_id, 'reading'],
    queryFn: async ({ signal }): Promise<Reading | null> =>
      (await runPartsOf(run.pipeline).reader?.reading(run, signal)) ?? null,
    retry: false,
  });
}

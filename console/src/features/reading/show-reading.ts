import { queryOptions } from '@tanstack/react-query';
import type { AnswerOf } from '../../../../src/contract/api/client.ts';
import { call } from '../../app/api.ts';
import { batchOf, type RunFile } from './run-file.ts';

export type Reading = AnswerOf<'uploads.reading'>;

export function readingQuery(run: RunFile) {
  const batch = batchOf(run);
  return queryOptions({
    queryKey: ['run', run.run_id, 'reading'],
    queryFn: ({ signal }): Promise<Reading> =>
      batch === undefined
        ? call('uploads.reading', { params: { upload_id: run.run_id }, signal })
        : call('batches.reading', { params: { batch_id: batch }, signal }),
    retry: false,
  });
}

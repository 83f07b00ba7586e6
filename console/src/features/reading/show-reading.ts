import { queryOptions } from '@tanstack/react-query';
import type { AnswerOf } from '../../../../src/contract/api/client.ts';
import { call } from '../../app/api.ts';

export type Reading = AnswerOf<'uploads.reading'>;

export function readingQuery(uploadId: string) {
  return queryOptions({
    queryKey: ['run', uploadId, 'reading'],
    queryFn: ({ signal }) => call('uploads.reading', { params: { upload_id: uploadId }, signal }),
    retry: false,
  });
}

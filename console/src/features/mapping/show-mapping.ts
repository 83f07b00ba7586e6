import { queryOptions } from '@tanstack/react-query';
import type { AnswerOf } from '../../../../src/contract/api/client.ts';
import { call } from '../../app/api.ts';

export type Mapping = AnswerOf<'uploads.mapping'>;

export function mappingQuery(uploadId: string) {
  return queryOptions({
    queryKey: ['run', uploadId, 'mapping'],
    queryFn: ({ signal }) => call('uploads.mapping', { params: { upload_id: uploadId }, signal }),
    retry: false,
    refetchOnWindowFocus: false,
  });
}

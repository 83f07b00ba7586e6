import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { CallArgs } from '../../../../src/contract/api/client.ts';
import { call } from '../../app/api.ts';
import { readingQuery } from './show-reading.ts';

export type Overrides = CallArgs<'uploads.override'>['body'];

/** Says how the file is to be read instead. It takes effect when the run is retried. */
export function useOverrideReading(uploadId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Overrides) => call('uploads.override', { params: { upload_id: uploadId }, body }),
    onSuccess: (reading) => client.setQueryData(readingQuery(uploadId).queryKey, reading),
  });
}

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../app/api.ts';
import { patchReject, type Reject } from './list-rejects.ts';

/** Corrects one row; the answer says at once whether it is valid now. */
export function useCorrectReject(runId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ reject, cells }: { reject: Reject; cells: Reject['raw'] }) =>
      call('rejects.correct', { params: { run_id: runId, reject_id: reject.id }, body: { cells } }),
    onSuccess: (answer) => {
      patchReject(client, runId, answer.reject);
      void client.invalidateQueries({ queryKey: ['run', runId, 'clusters'] });
      void client.invalidateQueries({ queryKey: ['run', runId, 'detail'] });
    },
  });
}

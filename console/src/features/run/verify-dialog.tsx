import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call } from '../../app/api.ts';
import { Modal } from '../../ui/modal.tsx';
import { Moment } from '../../ui/moment.tsx';
import { ProblemNote } from '../../ui/states.tsx';

/** Recounts the run from its file and the tables and shows whether the receipt tells the truth. */
export function VerifyDialog({ runId, onClose }: { runId: string; onClose: () => void }): ReactNode {
  const verify = useQuery({
    queryKey: ['run', runId, 'verify'],
    queryFn: ({ signal }) => call('runs.verify', { params: { run_id: runId }, signal }),
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  return (
    <Modal title="Recount from the file" onClose={onClose}>
      {verify.isPending && (
        <p role="status" className="breathing">
          Reading the original file again and counting what is stored…
        </p>
      )}
      {verify.isError && <ProblemNote error={verify.error} onRetry={() => void verify.refetch()} />}
      {verify.data?.matches && (
        <p className="text-good">
          ✓ The recount equals the receipt in every figure. <Moment at={verify.data.verified_at} />
        </p>
      )}
      {verify.data && !verify.data.matches && (
        <div className="flex flex-col gap-3">
          <p className="font-medium text-bad">✕ The recount differs from the receipt.</p>
          <ul className="list-inside list-disc">
            {verify.data.differences.map((difference) => (
              <li key={difference}>{difference}</li>
            ))}
          </ul>
        </div>
      )}
    </Modal>
  );
}

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { call } from '../../app/api.ts';
import { ReasonForm } from './reason-form.tsx';

/** Requeues a dead letter, which needs a ticket or a reason. */
export function RequeueDialog({ runId, onClose }: { runId: string; onClose: () => void }): ReactNode {
  const client = useQueryClient();
  const navigate = useNavigate();
  const requeue = useMutation({
    mutationFn: (ticket: string) => call('runs.requeue', { params: { run_id: runId }, body: { ticket } }),
    onSuccess: async (link) => {
      await client.invalidateQueries({ queryKey: ['runs'] });
      void client.invalidateQueries({ queryKey: ['attention'] });
      onClose();
      await navigate({ to: '/r/$runId', params: { runId: link.run_id } });
    },
  });
  return (
    <ReasonForm title="Requeue a dead letter" button="Requeue" action={requeue} maxLength={100} onClose={onClose} />
  );
}

import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call } from '../../app/api.ts';
import { ReasonForm } from './reason-form.tsx';

/** Takes a dead letter off the list: a person has seen it and there is nothing more to do. */
export function AcknowledgeDialog({ runId, onClose }: { runId: string; onClose: () => void }): ReactNode {
  const client = useQueryClient();
  const acknowledge = useMutation({
    mutationFn: (reason: string) => call('dead-letters.acknowledge', { params: { run_id: runId }, body: { reason } }),
    onSuccess: async () => {
      void client.invalidateQueries({ queryKey: ['attention'] });
      await Promise.all([
        client.invalidateQueries({ queryKey: ['runs'] }),
        client.invalidateQueries({ queryKey: ['run', runId, 'detail'] }),
      ]);
      onClose();
    },
  });
  return (
    <ReasonForm
      title="Acknowledge a dead letter"
      button="Acknowledge"
      action={acknowledge}
      maxLength={200}
      onClose={onClose}
    >
      <p className="text-sm text-ink-2">The run leaves this list and does not change.</p>
    </ReasonForm>
  );
}

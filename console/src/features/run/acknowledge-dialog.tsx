import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { call } from '../../app/api.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Modal } from '../../ui/modal.tsx';
import { ProblemNote } from '../../ui/states.tsx';

/** A dead letter is taken off the list: a person has seen it and nothing more is to be done. */
export function AcknowledgeDialog({ runId, onClose }: { runId: string; onClose: () => void }): ReactNode {
  const [reason, setReason] = useState('');
  const client = useQueryClient();
  const acknowledge = useMutation({
    mutationFn: () => call('dead-letters.acknowledge', { params: { run_id: runId }, body: { reason } }),
    onSuccess: async () => {
      void client.invalidateQueries({ queryKey: ['attention'] });
      await Promise.all([
        client.invalidateQueries({ queryKey: ['runs'] }),
        client.invalidateQueries({ queryKey: ['run', runId, 'detail'] }),
      ]);
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    acknowledge.mutate();
  };
  return (
    <Modal title="Acknowledge a dead letter" onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <p className="text-sm text-ink-2">The run leaves this list and does not change.</p>
        <Field
          label="Ticket or reason"
          required
          autoFocus
          maxLength={200}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
          hint="Kept in the audit log with your name."
        />
        {acknowledge.isError && <ProblemNote error={acknowledge.error} />}
        <Button
          type="submit"
          look="main"
          className="self-end"
          busy={acknowledge.isPending}
          disabled={reason.trim() === ''}
        >
          Acknowledge
        </Button>
      </form>
    </Modal>
  );
}

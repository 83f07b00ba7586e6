import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useState } from 'react';
import { call } from '../../app/api.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Modal } from '../../ui/modal.tsx';
import { ProblemNote } from '../../ui/states.tsx';

/** A dead letter goes back to work only for a ticket or a reason; the audit log keeps it. */
export function RequeueDialog({ runId, onClose }: { runId: string; onClose: () => void }): ReactNode {
  const [ticket, setTicket] = useState('');
  const client = useQueryClient();
  const navigate = useNavigate();
  const requeue = useMutation({
    mutationFn: () => call('runs.requeue', { params: { run_id: runId }, body: { ticket } }),
    onSuccess: async (link) => {
      await client.invalidateQueries({ queryKey: ['runs'] });
      void client.invalidateQueries({ queryKey: ['attention'] });
      onClose();
      await navigate({ to: '/r/$runId', params: { runId: link.run_id } });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    requeue.mutate();
  };
  return (
    <Modal title="Requeue a dead letter" onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <Field
          label="Ticket or reason"
          required
          autoFocus
          maxLength={100}
          value={ticket}
          onChange={(event) => setTicket(event.target.value)}
          hint="Kept in the audit log with your name."
        />
        {requeue.isError && <ProblemNote error={requeue.error} />}
        <Button type="submit" look="main" className="self-end" busy={requeue.isPending} disabled={ticket.trim() === ''}>
          Requeue
        </Button>
      </form>
    </Modal>
  );
}

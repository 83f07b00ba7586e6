import { type FormEvent, type ReactNode, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Modal } from '../../ui/modal.tsx';
import { ProblemNote } from '../../ui/states.tsx';

/** Asks for the ticket or the reason that the audit log keeps with an action on a dead letter. */
export function ReasonForm({
  title,
  button,
  action,
  maxLength,
  onClose,
  children,
}: {
  title: string;
  button: string;
  action: { mutate: (reason: string) => void; isPending: boolean; error: Error | null };
  maxLength: number;
  onClose: () => void;
  children?: ReactNode;
}): ReactNode {
  const [reason, setReason] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    action.mutate(reason);
  };
  return (
    <Modal title={title} onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        {children}
        <Field
          label="Ticket or reason"
          required
          autoFocus
          maxLength={maxLength}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
          hint="The audit log keeps it with your name."
        />
        {action.error !== null && <ProblemNote error={action.error} />}
        <Button type="submit" look="main" className="self-end" busy={action.isPending} disabled={reason.trim() === ''}>
          {button}
        </Button>
      </form>
    </Modal>
  );
}

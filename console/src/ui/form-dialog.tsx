import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import type { FormEvent, ReactNode } from 'react';
import { Button } from './button.tsx';
import { Modal } from './modal.tsx';
import { ProblemNote } from './states.tsx';

interface Props {
  readonly title: string;
  /** What the button says that sends it. */
  readonly submit: string;
  readonly send: () => Promise<unknown>;
  /** What is out of date once it was taken. */
  readonly refresh: QueryKey;
  readonly onClose: () => void;
  readonly danger?: boolean;
  readonly children: ReactNode;
}

/** A dialog that asks for something and sends it: once, says what was refused and why, and closes when it was taken. */
export function FormDialog({ title, submit, send, refresh, onClose, danger = false, children }: Props): ReactNode {
  const queries = useQueryClient();
  const sending = useMutation({
    mutationFn: send,
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: refresh });
      onClose();
    },
  });
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    sending.mutate();
  };
  return (
    <Modal title={title} onClose={onClose}>
      <form onSubmit={onSubmit} className="flex flex-col gap-4">
        {children}
        {sending.isError && <ProblemNote error={sending.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look={danger ? 'danger' : 'main'} busy={sending.isPending}>
            {submit}
          </Button>
        </div>
      </form>
    </Modal>
  );
}

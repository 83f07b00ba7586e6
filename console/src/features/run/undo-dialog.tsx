// Undoes a run: the dialog first says how many rows that concerns, then leads to the run that does it.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { call } from '../../app/api.ts';
import { Button } from '../../ui/button.tsx';
import { plural } from '../../ui/figures.ts';
import { Modal } from '../../ui/modal.tsx';
import { ProblemNote } from '../../ui/states.tsx';

const fates: Readonly<Record<string, string>> = {
  removed: 'removed',
  restored: 'restored to the value before this run',
};

export function UndoDialog({ runId, onClose }: { runId: string; onClose: () => void }): ReactNode {
  const client = useQueryClient();
  const navigate = useNavigate();
  const params = { run_id: runId };
  const preview = useQuery({
    queryKey: ['run', runId, 'undo'],
    queryFn: ({ signal }) => call('runs.undo', { params, body: { dry_run: true }, signal }),
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const undo = useMutation({
    mutationFn: () => call('runs.undo', { params, body: {} }),
    onSuccess: async ({ run_id: undoId }) => {
      await client.invalidateQueries({ queryKey: ['run', runId, 'detail'] });
      if (undoId !== null) await navigate({ to: '/r/$runId', params: { runId: undoId } });
    },
  });
  const counts = Object.entries(preview.data?.counts ?? {}).filter(([, count]) => count > 0);
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  const problem = undo.error ?? preview.error;
  return (
    <Modal title="Undo this run?" onClose={onClose}>
      {preview.isPending && (
        <p role="status" className="breathing">
          Counting the rows that this run still owns…
        </p>
      )}
      {problem && <ProblemNote error={problem} />}
      {preview.data && (
        <div className="flex flex-col gap-3">
          <p>
            {total === 0
              ? 'Later runs have replaced everything that this run stored. An undo would change nothing.'
              : 'A new run removes or restores what this run stored. Rows that later runs replaced stay, and so does the file.'}
          </p>
          <ul className="list-inside list-disc">
            {counts.map(([fate, count]) => (
              <li key={fate}>
                {plural(count, 'number')} {fates[fate] ?? fate}
              </li>
            ))}
          </ul>
          <div className="flex justify-end gap-2">
            <Button onClick={onClose}>Go back</Button>
            <Button look="danger" busy={undo.isPending} onClick={() => undo.mutate()}>
              Undo
            </Button>
          </div>
        </div>
      )}
    </Modal>
  );
}

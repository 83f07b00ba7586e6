// Pending items that were chosen are started again: their attempts count from zero, and they are due now.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call } from '../../app/api.ts';
import { Button } from '../../ui/button.tsx';
import { count, plural } from '../../ui/figures.ts';
import { ProblemNote } from '../../ui/states.tsx';

interface Props {
  /** The job of each chosen item, by its id. */
  readonly selected: ReadonlyMap<string, string>;
  readonly onDone: () => void;
}

export function ReprocessPending({ selected, onDone }: Props): ReactNode {
  const client = useQueryClient();
  const reprocess = useMutation({
    mutationFn: async () => {
      const jobs = new Map<string, string[]>();
      for (const [item, job] of selected) jobs.set(job, [...(jobs.get(job) ?? []), item]);
      const told = { reset: 0, skipped: 0 };
      for (const [job, itemIds] of jobs) {
        const { reset, skipped } = await call('jobs.reprocess', {
          params: { job_id: job },
          body: { scope: 'items', itemIds },
        });
        told.reset += reset;
        told.skipped += skipped;
      }
      return told;
    },
    onSuccess: () => {
      onDone();
      void client.invalidateQueries({ queryKey: ['items'] });
    },
  });
  return (
    <>
      {selected.size > 0 && (
        <Button small look="main" icon="replay" busy={reprocess.isPending} onClick={() => reprocess.mutate()}>
          Reprocess {count(selected.size)} selected
        </Button>
      )}
      {reprocess.data && (
        <output>
          {plural(reprocess.data.reset, 'item')} started again
          {reprocess.data.skipped > 0 && `, ${count(reprocess.data.skipped)} at work or gone`}
        </output>
      )}
      {reprocess.isError && <ProblemNote error={reprocess.error} />}
    </>
  );
}

export function toggled(selected: ReadonlyMap<string, string>, item: string, job: string): Map<string, string> {
  const next = new Map(selected);
  if (!next.delete(item)) next.set(item, job);
  return next;
}

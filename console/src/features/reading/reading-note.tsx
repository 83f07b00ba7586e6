import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { RunDetail } from '../../app/api.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { ProblemNote } from '../../ui/states.tsx';
import { saveMapping } from '../mapping/show-mapping.ts';

/** What was said about the file: for this upload it takes effect with a retry; for the kind of file it is saved with its mapping. */
export function ReadingNote({ run }: { run: RunDetail }): ReactNode {
  const keep = useMutation({ mutationFn: () => saveMapping(run, { columns: [] }) });
  return (
    <div className="flex flex-col gap-2">
      {keep.isError && <ProblemNote error={keep.error} />}
      <div className="flex flex-wrap items-center gap-2 rounded-md border border-warn bg-warn-soft px-4 py-2.5 text-sm">
        <Icon name="warn" className="text-warn" />
        {run.actions.includes('retry')
          ? 'You changed how the file is read. It takes effect when the run is retried: use Retry above.'
          : 'You changed how the file is read. This run has ended.'}
        {keep.data ? (
          <span>
            Millrace now reads files of this kind this way (mapping version {keep.data.version}); drop one to use it.
          </span>
        ) : (
          <Button small busy={keep.isPending} onClick={() => keep.mutate()}>
            Read files of this kind this way from now on
          </Button>
        )}
      </div>
    </div>
  );
}

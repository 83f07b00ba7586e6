import type { ReactNode } from 'react';
import type { RunDetail } from '../../app/api.ts';
import { Icon } from '../../ui/icons.tsx';
import { mayReread, RereadButton } from './reread-button.tsx';

/** What was changed takes effect with the next attempt; says so and where to start it. */
export function RetryNote({ run, what }: { run: RunDetail; what: string }): ReactNode {
  if (run.phase === 'done' && mayReread(run))
    return (
      <div className="flex flex-wrap items-center gap-2 rounded-md border border-warn bg-warn-soft px-4 py-2.5 text-sm">
        <Icon name="warn" className="text-warn" />
        You changed {what}. Read the file again to use it: the new run takes over what this one stored.
        <RereadButton runId={run.run_id} />
      </div>
    );
  return (
    <p className="flex items-center gap-2 rounded-md border border-warn bg-warn-soft px-4 py-2.5 text-sm">
      <Icon name="warn" className="text-warn" />
      You changed {what}. It takes effect when the run is retried
      {run.actions.includes('retry') ? ': use Retry above.' : '; drop the file again to use it now.'}
    </p>
  );
}

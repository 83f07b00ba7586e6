// The one thing a person most likely wants to do with a run that has ended: fix its refused rows, replay what is fixed, or map its columns.
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { RunDetail } from '../../app/api.ts';
import { useIs } from '../../app/session.ts';
import { runPartsOf } from '../../pipelines/all.ts';
import { buttonClass } from '../../ui/button.tsx';
import { plural } from '../../ui/figures.ts';
import { Icon } from '../../ui/icons.tsx';

/** Undefined where the run's own actions are all there is to do. */
export function mainActionOf(run: RunDetail): 'map' | 'fix' | 'replay' | undefined {
  const { views, reader } = runPartsOf(run.pipeline);
  const hasEnded = run.phase === 'done' || run.phase === 'failed';
  if (run.error?.code === 'mapping_incomplete' && run.actions.includes('retry') && reader) return 'map';
  if (!hasEnded || !views.includes('rejects')) return undefined;
  if ((run.rejects.open ?? 0) > 0) return 'fix';
  return run.actions.includes('replay') ? 'replay' : undefined;
}

export function MainAction({ run }: { run: RunDetail }): ReactNode {
  const mayFix = useIs('admin', 'user');
  const action = mainActionOf(run);
  const params = { runId: run.run_id };
  const look = buttonClass('main');
  if (!mayFix || !action) return null;
  if (action === 'map')
    return (
      <Link to="/r/$runId/mapping" params={params} className={look}>
        <Icon name="table" /> Map the columns
      </Link>
    );
  return (
    <Link to="/r/$runId/rejects" params={params} search={action === 'fix' ? { show: 'open' } : {}} className={look}>
      <Icon name={action === 'fix' ? 'check' : 'replay'} />
      {action === 'fix' ? `Fix ${plural(run.rejects.open ?? 0, 'row')}` : 'Replay the fixed rows'}
    </Link>
  );
}

import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Phase, Run } from '../../app/api.ts';
import { runName } from '../../ui/run-name.ts';
import { wordsOf } from '../../ui/state-pill.tsx';
import { recentRunsQuery } from './list-recent-runs.ts';

const shapes: Record<Phase, string> = {
  waiting: 'h-2 bg-line-strong',
  active: 'h-3 bg-water breathing',
  done: 'h-5 bg-good',
  failed: 'h-5 bg-transparent border-2 border-bad',
  dead: 'h-5 bg-bad',
};

const calledOff = 'h-5 bg-transparent border border-line-strong';

/** The last thirty runs at a glance: full bars are done, hollow ones failed, short ones have not ended. */
export function HealthStrip(): ReactNode {
  const runs = useQuery(recentRunsQuery);
  const last = (runs.data?.data ?? []).slice(0, 30).reverse();
  if (last.length === 0) return null;
  const isCancelled = (run: Run) => run.error?.code === 'run_cancelled';
  const failed = last.filter((run) => (run.phase === 'failed' && !isCancelled(run)) || run.phase === 'dead').length;
  return (
    <div className="mt-1 flex items-end gap-2 text-xs text-ink-3">
      <div
        role="img"
        aria-label={`The last ${last.length} runs, ${failed} of them failed`}
        className="flex h-5 items-end gap-0.5"
      >
        {last.map((run) => (
          <span
            key={run.run_id}
            title={`${runName(run)}: ${isCancelled(run) ? 'cancelled' : wordsOf(run.status)}`}
            className={`w-2 rounded-[2px] ${isCancelled(run) ? calledOff : shapes[run.phase]}`}
          />
        ))}
      </div>
      the last {last.length === 1 ? 'run' : `${last.length} runs`}
      {failed > 0 && `, ${failed} failed`}
    </div>
  );
}

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Phase } from '../../app/api.ts';
import { recentRunsQuery } from './list-recent-runs.ts';

const shapes: Record<Phase, string> = {
  waiting: 'h-2 bg-line-strong',
  active: 'h-3 bg-water breathing',
  done: 'h-5 bg-good',
  failed: 'h-5 bg-transparent border-2 border-bad',
  dead: 'h-5 bg-bad',
};

/** The last thirty runs at a glance: full bars are done, hollow ones failed, short ones have not ended. */
export function HealthStrip(): ReactNode {
  const runs = useQuery(recentRunsQuery);
  const last = (runs.data?.data ?? []).slice(0, 30).reverse();
  if (last.length === 0) return null;
  const failed = last.filter((run) => run.phase === 'failed' || run.phase === 'dead').length;
  return (
    <nav aria-label={`The last ${last.length} runs, ${failed} of them failed`} className="flex h-6 items-end gap-0.5">
      {last.map((run) => (
        <Link
          key={run.run_id}
          to="/r/$runId"
          params={{ runId: run.run_id }}
          title={`${run.title ?? run.run_id}: ${run.status}`}
          aria-label={`${run.title ?? run.run_id}: ${run.status}`}
          className="flex h-6 w-2 items-end hover:opacity-70"
        >
          <span className={`w-full rounded-[2px] ${shapes[run.phase]}`} />
        </Link>
      ))}
    </nav>
  );
}

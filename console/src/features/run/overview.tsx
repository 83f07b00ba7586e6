import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense } from 'react';
import { Panel } from '../../ui/page.tsx';
import { LoadingLines } from '../../ui/states.tsx';
import { Causes } from './causes.tsx';
import { Gantt } from './gantt.tsx';
import { NextCard } from './next-card.tsx';
import { Downloads } from './run-header.tsx';
import { runQuery } from './show-run.ts';

const route = getRouteApi('/shell/r/$runId');
const Throughput = lazy(() => import('./throughput.tsx'));

/** How the run went: what was refused and why, stages over time, speed, and what comes next. */
export function Overview(): ReactNode {
  const { runId } = route.useParams();
  const { data: run } = useSuspenseQuery(runQuery(runId));
  return (
    <div className="grid grid-cols-1 gap-4 lg:grid-cols-[minmax(0,1fr)_20rem]">
      <div className="flex min-w-0 flex-col gap-4">
        <Causes run={run} />
        <Panel title="Stages">
          <Gantt run={run} />
        </Panel>
        <Panel title="Throughput">
          <Suspense fallback={<LoadingLines lines={3} />}>
            <Throughput run={run} />
          </Suspense>
        </Panel>
      </div>
      <div className="order-first flex min-w-0 flex-col gap-4 lg:order-none">
        <Panel title={run.phase === 'waiting' ? 'Why it waits' : 'What happens next'}>
          <NextCard run={run} />
        </Panel>
        {(run.receipt !== null || run.file !== null) && (
          <Panel title="Files">
            <div className="px-4 py-3">
              <Downloads run={run} />
            </div>
          </Panel>
        )}
      </div>
    </div>
  );
}

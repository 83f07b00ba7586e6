import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Panel } from '../../ui/page.tsx';
import { MachineDiagram } from './machine-diagram.tsx';
import { runQuery } from './show-run.ts';
import { Tail } from './tail.tsx';

const route = getRouteApi('/shell/r/$runId/details');

/** For who wants to know exactly: the pipeline's machine with the way the run took, and its events as they were written. */
export function Details(): ReactNode {
  const { runId } = route.useParams();
  const { data: run } = useSuspenseQuery(runQuery(runId));
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <Panel title="State">
        <MachineDiagram run={run} />
      </Panel>
      <Tail runId={runId} />
    </div>
  );
}

import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { count } from '../../ui/figures.ts';
import { Moment } from '../../ui/moment.tsx';
import { Panel } from '../../ui/page.tsx';
import { EmptyState, LoadingLines, ProblemNote } from '../../ui/states.tsx';
import { Cell, Row, Table } from '../../ui/table.tsx';
import { workersQuery } from './list-workers.ts';

const states = {
  alive: { mark: '●', look: 'text-good' },
  draining: { mark: '◐', look: 'text-warn' },
  lost: { mark: '✕', look: 'text-bad' },
} as const;

export function WorkersPage(): ReactNode {
  const workers = useQuery(workersQuery);
  if (workers.isPending) return <LoadingLines lines={5} />;
  if (workers.isError) return <ProblemNote error={workers.error} onRetry={() => void workers.refetch()} />;
  const alive = workers.data.data.filter((worker) => worker.state === 'alive').length;
  return (
    <Panel title="Workers" aside={`${count(alive)} alive`}>
      {workers.data.data.length === 0 ? (
        <EmptyState icon="warn" title="No worker has ever reported">
          Waiting runs stay safely queued. Start one with <code className="figures">millrace worker</code>.
        </EmptyState>
      ) : (
        <Table label="Workers" head={['State', 'Worker', 'Pipelines', 'Holds', 'Version', 'Started', 'Last seen']}>
          {workers.data.data.map((worker) => (
            <Row key={worker.worker_id}>
              <Cell className={`whitespace-nowrap ${states[worker.state].look}`}>
                <span aria-hidden="true">{states[worker.state].mark}</span> {worker.state}
              </Cell>
              <Cell>
                <span className="figures text-xs" title={worker.worker_id}>
                  {worker.name ?? worker.worker_id}
                </span>
              </Cell>
              <Cell className="text-ink-2">{worker.pipelines.join(', ')}</Cell>
              <Cell className="figures">
                {count(worker.running)}
                {worker.slots !== null && ` / ${count(worker.slots)}`}
              </Cell>
              <Cell className="figures text-xs text-ink-2">{worker.version ?? '–'}</Cell>
              <Cell>
                <Moment at={worker.started_at} />
              </Cell>
              <Cell>
                <Moment at={worker.seen_at} />
              </Cell>
            </Row>
          ))}
        </Table>
      )}
    </Panel>
  );
}

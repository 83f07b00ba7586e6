import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useIs } from '../../app/session.ts';
import { Button } from '../../ui/button.tsx';
import { Moment } from '../../ui/moment.tsx';
import { Panel } from '../../ui/page.tsx';
import { runName } from '../../ui/run-name.ts';
import { EmptyState, LoadingLines, ProblemNote } from '../../ui/states.tsx';
import { Cell, Row, Table } from '../../ui/table.tsx';
import { AcknowledgeDialog } from '../run/acknowledge-dialog.tsx';
import { RequeueDialog } from '../run/requeue-dialog.tsx';
import { deadLettersQuery } from './list-dead-letters.ts';

export function DeadLettersPage(): ReactNode {
  const letters = useQuery(deadLettersQuery);
  const mayAct = useIs('admin', 'support');
  const [chosen, setChosen] = useState<{ runId: string; act: 'requeue' | 'acknowledge' }>();
  const close = () => setChosen(undefined);
  if (letters.isPending) return <LoadingLines lines={5} />;
  if (letters.isError) return <ProblemNote error={letters.error} onRetry={() => void letters.refetch()} />;
  return (
    <Panel
      title="Dead letters"
      aside={mayAct ? 'requeue or acknowledge, with a ticket or a reason' : 'an admin or support may requeue'}
    >
      {letters.data.data.length === 0 ? (
        <EmptyState icon="check" title="No dead letters">
          There are no open dead letters.
        </EmptyState>
      ) : (
        <Table
          label="Dead letters"
          head={[
            'Run',
            'Pipeline',
            'Why',
            'Ended',
            <span key="act" className="sr-only">
              Actions
            </span>,
          ]}
        >
          {letters.data.data.map((run) => (
            <Row key={run.run_id}>
              <Cell className="max-w-64">
                <Link to="/r/$runId" params={{ runId: run.run_id }} className="link block truncate">
                  {runName(run)}
                </Link>
              </Cell>
              <Cell>{run.pipeline}</Cell>
              <Cell className="max-w-md truncate text-ink-2">{run.error?.message ?? '–'}</Cell>
              <Cell>
                <Moment at={run.finished_at} />
              </Cell>
              <Cell className="text-right">
                {mayAct && (
                  <span className="flex justify-end gap-2">
                    <Button small icon="replay" onClick={() => setChosen({ runId: run.run_id, act: 'requeue' })}>
                      Requeue
                    </Button>
                    <Button small icon="check" onClick={() => setChosen({ runId: run.run_id, act: 'acknowledge' })}>
                      Acknowledge
                    </Button>
                  </span>
                )}
              </Cell>
            </Row>
          ))}
        </Table>
      )}
      {chosen?.act === 'requeue' && <RequeueDialog runId={chosen.runId} onClose={close} />}
      {chosen?.act === 'acknowledge' && <AcknowledgeDialog runId={chosen.runId} onClose={close} />}
    </Panel>
  );
}

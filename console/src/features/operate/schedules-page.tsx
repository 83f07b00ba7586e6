import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Moment } from '../../ui/moment.tsx';
import { Panel } from '../../ui/page.tsx';
import { EmptyState, LoadingLines, ProblemNote } from '../../ui/states.tsx';
import { Cell, Row, Table } from '../../ui/table.tsx';
import { schedulesQuery } from './list-schedules.ts';

export function SchedulesPage(): ReactNode {
  const schedules = useQuery(schedulesQuery);
  if (schedules.isPending) return <LoadingLines lines={5} />;
  if (schedules.isError) return <ProblemNote error={schedules.error} onRetry={() => void schedules.refetch()} />;
  return (
    <Panel title="Schedules">
      {schedules.data.data.length === 0 ? (
        <EmptyState icon="clock" title="Nothing is scheduled">
          Runs of this tenant start when somebody hands in work.
        </EmptyState>
      ) : (
        <Table label="Schedules" head={['Name', 'Pipeline', 'When', 'Zone', 'Last fired', 'Next']}>
          {schedules.data.data.map((schedule) => (
            <Row key={schedule.name}>
              <Cell className="font-medium">{schedule.name}</Cell>
              <Cell>{schedule.pipeline}</Cell>
              <Cell className="figures">{schedule.cron}</Cell>
              <Cell>{schedule.timezone}</Cell>
              <Cell>
                <Moment at={schedule.last_fired_at} />
              </Cell>
              <Cell>{schedule.enabled ? <Moment at={schedule.next_at} /> : 'switched off'}</Cell>
            </Row>
          ))}
        </Table>
      )}
    </Panel>
  );
}

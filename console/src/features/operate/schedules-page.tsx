import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { AnswerOf } from '../../../../src/contract/api/client.ts';
import { inertText } from '../../ui/inert-text.ts';
import { Moment } from '../../ui/moment.tsx';
import { Panel } from '../../ui/page.tsx';
import { EmptyState, LoadingLines, ProblemNote } from '../../ui/states.tsx';
import { Cell, Row, Table } from '../../ui/table.tsx';
import { everyOf } from './connector-interval.ts';
import { type Connector, connectorsQuery } from './list-connectors.ts';
import { schedulesQuery } from './list-schedules.ts';

type Schedule = AnswerOf<'operate.schedules'>['data'][number];

export function SchedulesPage(): ReactNode {
  const schedules = useQuery(schedulesQuery);
  const connectors = useQuery(connectorsQuery);
  if (schedules.isPending) return <LoadingLines lines={5} />;
  if (schedules.isError) return <ProblemNote error={schedules.error} onRetry={() => void schedules.refetch()} />;
  const connectorOf = ({ name }: Schedule) =>
    connectors.data?.data.find(({ connector_id }) => name === `sync:${connector_id}`);
  return (
    <Panel title="Schedules">
      {schedules.data.data.length === 0 ? (
        <EmptyState icon="clock" title="Nothing is scheduled">
          Runs of this tenant start when somebody hands in work.
        </EmptyState>
      ) : (
        <Table label="Schedules" head={['Name', 'Pipeline', 'When', 'Last fired', 'Next']}>
          {schedules.data.data.map((schedule) => (
            <ScheduleRow key={schedule.name} schedule={schedule} connector={connectorOf(schedule)} />
          ))}
        </Table>
      )}
    </Panel>
  );
}

/** A connector's schedule has the connector's name and interval: its moments are reckoned from its last good sync, not from a clock. */
function ScheduleRow({ schedule, connector }: { schedule: Schedule; connector: Connector | undefined }): ReactNode {
  return (
    <Row>
      <Cell className="font-medium">
        {connector ? (
          <Link to="/operate/connectors" className="link">
            {inertText(connector.name)}
          </Link>
        ) : (
          inertText(schedule.name)
        )}
      </Cell>
      <Cell>{schedule.pipeline}</Cell>
      <Cell>
        {connector ? (
          everyOf(connector.effective_interval_seconds)
        ) : (
          <>
            <span className="figures">{schedule.cron}</span>{' '}
            <span className="text-xs text-ink-3">{schedule.timezone}</span>
          </>
        )}
      </Cell>
      <Cell>{schedule.last_fired_at ? <Moment at={schedule.last_fired_at} /> : 'not yet'}</Cell>
      <Cell>
        <NextMoment schedule={schedule} at={connector?.next_sync_at ?? schedule.next_at} />
      </Cell>
    </Row>
  );
}

function NextMoment({ schedule, at }: { schedule: Schedule; at: string | null }): ReactNode {
  if (!schedule.enabled) return 'switched off';
  return (
    <>
      {schedule.set_aside_at ? 'set aside' : <Moment at={at} />}
      {schedule.trouble && <p className="text-xs text-bad">{inertText(schedule.trouble)}</p>}
    </>
  );
}

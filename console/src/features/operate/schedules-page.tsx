import { useQueries, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { AnswerOf } from '../../../../src/contract/api/client.ts';
import { kits } from '../../pipelines/all.ts';
import type { ScheduleWords } from '../../pipelines/kit.ts';
import { inertText } from '../../ui/inert-text.ts';
import { Moment } from '../../ui/moment.tsx';
import { Panel } from '../../ui/page.tsx';
import { EmptyState, LoadingLines, ProblemNote } from '../../ui/states.tsx';
import { Cell, Row, Table } from '../../ui/table.tsx';
import { schedulesQuery } from './list-schedules.ts';

type Schedule = AnswerOf<'operate.schedules'>['data'][number];

export function SchedulesPage(): ReactNode {
  const schedules = useQuery(schedulesQuery);
  const known = useQueries({ queries: kits.flatMap(({ schedules: asked }) => asked ?? []) });
  if (schedules.isPending) return <LoadingLines lines={5} />;
  if (schedules.isError) return <ProblemNote error={schedules.error} onRetry={() => void schedules.refetch()} />;
  const wordsOf = ({ name }: Schedule) => known.map(({ data }) => data?.get(name)).find((words) => words !== undefined);
  return (
    <Panel title="Schedules">
      {schedules.data.data.length === 0 ? (
        <EmptyState icon="clock" title="Nothing is scheduled">
          Runs of this tenant start when somebody uploads a file or starts one.
        </EmptyState>
      ) : (
        <Table label="Schedules" head={['Name', 'Pipeline', 'When', 'Last fired', 'Next']}>
          {schedules.data.data.map((schedule) => (
            <ScheduleRow key={schedule.name} schedule={schedule} words={wordsOf(schedule)} />
          ))}
        </Table>
      )}
    </Panel>
  );
}

/** A schedule that a kit knows has its own name and interval instead of a clock's. */
function ScheduleRow({ schedule, words }: { schedule: Schedule; words: ScheduleWords | undefined }): ReactNode {
  return (
    <Row>
      <Cell className="font-medium">
        {words ? (
          <Link to={words.to} className="link">
            {inertText(words.title)}
          </Link>
        ) : (
          inertText(schedule.name)
        )}
      </Cell>
      <Cell>{schedule.pipeline}</Cell>
      <Cell>
        {words ? (
          words.every
        ) : (
          <>
            <span className="figures">{schedule.cron}</span>{' '}
            <span className="text-xs text-ink-3">{schedule.timezone}</span>
          </>
        )}
      </Cell>
      <Cell>{schedule.last_fired_at ? <Moment at={schedule.last_fired_at} /> : 'not yet'}</Cell>
      <Cell>
        <NextMoment schedule={schedule} at={words?.nextAt ?? schedule.next_at} />
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

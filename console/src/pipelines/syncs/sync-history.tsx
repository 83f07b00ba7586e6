import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { duration } from '../../ui/figures.ts';
import { inertText } from '../../ui/inert-text.ts';
import { Moment } from '../../ui/moment.tsx';
import { StatePill } from '../../ui/state-pill.tsx';
import { EmptyState, LoadingLines, ProblemNote } from '../../ui/states.tsx';
import { Cell, Row, Table } from '../../ui/table.tsx';
import { type Sync, syncsQuery } from './list-syncs.ts';

const phases = {
  queued: 'waiting',
  running: 'active',
  failed: 'waiting',
  dead_letter: 'dead',
  cancelled: 'failed',
  success: 'done',
} as const;

/** What the last syncs of a connector came to. A failed sync is one that will be tried again. */
export function SyncHistory({ connectorId }: { connectorId: string }): ReactNode {
  const syncs = useQuery(syncsQuery(connectorId));
  if (syncs.isPending) return <LoadingLines lines={3} />;
  if (syncs.isError) return <ProblemNote error={syncs.error} onRetry={() => void syncs.refetch()} />;
  if (syncs.data.data.length === 0) return <EmptyState title="It has not been synced yet" />;
  return (
    <Table label="Syncs" head={['State', 'Started', 'Took', 'Retries', 'What happened']}>
      {syncs.data.data.map((sync) => (
        <Row key={sync.job_id}>
          <Cell>
            <Link
              to="/r/$runId"
              params={{ runId: sync.job_id }}
              aria-label={`Open the run of this sync: ${sync.status}`}
            >
              <StatePill status={sync.status} phase={phases[sync.status]} />
            </Link>
          </Cell>
          <Cell>
            <Moment at={sync.started_at ?? sync.created_at} />
          </Cell>
          <Cell className="figures">{took(sync)}</Cell>
          <Cell className="figures">{sync.retry_count}</Cell>
          <Cell className="max-w-md truncate text-ink-2">
            {sync.error_message === null ? '–' : inertText(sync.error_message)}
            {sync.next_retry_at && (
              <>
                {' '}
                · again <Moment at={sync.next_retry_at} />
              </>
            )}
          </Cell>
        </Row>
      ))}
    </Table>
  );
}

function took({ started_at, completed_at }: Sync): string {
  return started_at && completed_at ? duration(Date.parse(completed_at) - Date.parse(started_at)) : '–';
}

import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { count, duration } from '../../ui/figures.ts';
import { Moment } from '../../ui/moment.tsx';
import { StatePill } from '../../ui/state-pill.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Cell, Row, right, Table } from '../../ui/table.tsx';
import type { Source, SourceSync } from './list-sources.ts';

const phases: Record<string, 'waiting' | 'active' | 'done' | 'failed'> = {
  queued: 'waiting',
  syncing: 'active',
  synced: 'done',
  partial: 'done',
  failed: 'failed',
};
const triggers: Record<string, string> = {
  schedule: 'on schedule',
  person: 'by a person',
  push: 'announced by the place',
  created: 'when it was added',
};
const columns = ['seen', 'new', 'changed', 'unchanged', 'refused', 'vanished', 'settling'] as const;
/** Objects that were seen too recently to be whole; the next sync looks again. */
const SETTLING = 'may be growing';

/** The newest syncs with their counts: seen = new + changed + unchanged + refused; vanished and what may be growing apart. */
export function SyncTable({ source }: { source: Source }): ReactNode {
  if (source.syncs.length === 0) return <EmptyState title="No sync yet" />;
  return (
    <Table
      label="Syncs"
      head={[
        'State',
        'Began',
        'Took',
        ...columns.map((name) => right(name === 'settling' ? SETTLING : name)),
        'Why',
        'Finds',
      ]}
    >
      {source.syncs.map((sync) => (
        <Row key={sync.sync_id}>
          <Cell>
            <Link to="/r/$runId" params={{ runId: sync.sync_id }} title="Open this sync">
              <StatePill
                status={sync.status}
                phase={phases[sync.status] ?? 'waiting'}
                held={sync.held}
                code={sync.error_code ?? undefined}
              />
            </Link>
          </Cell>
          <Cell>
            <Moment at={sync.started_at ?? sync.created_at} />
          </Cell>
          <Cell className="figures">{took(sync)}</Cell>
          {columns.map((name) => (
            <Cell key={name} className="figures text-right">
              {sync.counts === null ? '–' : count(sync.counts[name])}
            </Cell>
          ))}
          <Cell className="whitespace-nowrap text-ink-2">{triggers[sync.trigger] ?? sync.trigger}</Cell>
          <Cell>
            <Link
              to="/operate/sources/$sourceId"
              params={{ sourceId: source.source_id }}
              search={{ sync: sync.sync_id }}
              className="link"
            >
              show
            </Link>
          </Cell>
        </Row>
      ))}
    </Table>
  );
}

function took({ started_at: from, finished_at: to }: SourceSync): string {
  return from && to ? duration(Date.parse(to) - Date.parse(from)) : '–';
}

import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Moment } from '../../ui/moment.tsx';
import { Panel } from '../../ui/page.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import { EmptyState, LoadingLines, ProblemNote } from '../../ui/states.tsx';
import { Cell, Row, Table } from '../../ui/table.tsx';
import { auditQuery } from './list-audit.ts';

const outcomes = {
  done: { mark: '✓', look: 'text-good' },
  denied: { mark: '⊘', look: 'text-warn' },
  failed: { mark: '✕', look: 'text-bad' },
} as const;

export function AuditPage(): ReactNode {
  const [action, setAction] = useState('');
  const pages = useInfiniteQuery(auditQuery(action));
  const entries = pages.data?.pages.flatMap((page) => page.data) ?? [];
  return (
    <Panel
      title="Audit log"
      aside={
        <input
          type="search"
          aria-label="Action"
          placeholder="action, for example auth.login"
          value={action}
          onChange={(event) => setAction(event.target.value.trim())}
          className="control min-h-7! w-56 text-xs!"
        />
      }
    >
      {pages.isPending && <LoadingLines lines={6} />}
      {pages.isError && <ProblemNote error={pages.error} onRetry={() => void pages.refetch()} />}
      {pages.data && entries.length === 0 && <EmptyState title="No such entry" />}
      {entries.length > 0 && (
        <Table label="Audit log" head={['When', 'Action', 'Outcome', 'Who', 'On what', 'From']}>
          {entries.map((entry) => (
            <Row key={entry.audit_id}>
              <Cell>
                <Moment at={entry.at} />
              </Cell>
              <Cell className="figures text-xs">{entry.action}</Cell>
              <Cell className={`text-xs ${outcomes[entry.outcome].look}`}>
                {outcomes[entry.outcome].mark} {entry.outcome}
              </Cell>
              <Cell>
                {entry.actor ?? '–'} <span className="text-xs text-ink-3">{entry.actor_role}</span>
              </Cell>
              <Cell className="figures max-w-72 truncate text-xs">{entry.target ?? '–'}</Cell>
              <Cell className="figures text-xs text-ink-2">{entry.ip ?? '–'}</Cell>
            </Row>
          ))}
        </Table>
      )}
      <ShowMore pages={pages} label="Show older entries" />
    </Panel>
  );
}

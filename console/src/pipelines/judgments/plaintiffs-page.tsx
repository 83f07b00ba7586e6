import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useDeferredValue, useState } from 'react';
import { count } from '../../ui/figures.ts';
import { inertText } from '../../ui/inert-text.ts';
import { Moment } from '../../ui/moment.tsx';
import { Panel } from '../../ui/page.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import { EmptyState, LoadingLines, ProblemNote } from '../../ui/states.tsx';
import { Cell, Row, right, Table } from '../../ui/table.tsx';
import { plaintiffsQuery } from './list-plaintiffs.ts';
import { MergeReview } from './merge-review.tsx';

export function PlaintiffsPage(): ReactNode {
  const [typed, setTyped] = useState('');
  const name = useDeferredValue(typed.trim());
  return (
    <div className="flex flex-col gap-4">
      <MergeReview />
      <Panel
        title="Plaintiffs"
        aside={
          <input
            type="search"
            aria-label="Name"
            placeholder="name"
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            className="control min-h-7! w-48 text-xs!"
          />
        }
      >
        <PlaintiffTable name={name} />
      </Panel>
    </div>
  );
}

function PlaintiffTable({ name }: { name: string }): ReactNode {
  const pages = useInfiniteQuery(plaintiffsQuery(name));
  if (pages.isPending) return <LoadingLines lines={6} />;
  if (pages.isError) return <ProblemNote error={pages.error} onRetry={() => void pages.refetch()} />;
  const rows = pages.data.pages.flatMap((page) => page.data);
  if (rows.length === 0)
    return <EmptyState icon="table" title={name ? 'No plaintiff has this name' : 'No plaintiffs yet'} />;
  return (
    <>
      <Table label="Plaintiffs" head={['Name', 'Email', 'Phone', 'Known by', right('Judgments'), 'Changed']}>
        {rows.map((row) => (
          <Row key={row.id}>
            <Cell className="max-w-64 truncate font-medium">
              <Link to="/data/judgments" search={{ plaintiff_id: String(row.id) }} className="link">
                {inertText(row.name ?? `plaintiff ${row.id}`)}
              </Link>
              {row.merged_into !== null && <span className="text-xs text-ink-3"> merged into {row.merged_into}</span>}
            </Cell>
            <Cell>{inertText(row.email ?? '–')}</Cell>
            <Cell className="figures">{inertText(row.phone ?? '–')}</Cell>
            <Cell className="text-ink-2">{row.known_by}</Cell>
            <Cell className="figures text-right">{count(row.judgments)}</Cell>
            <Cell>
              <Moment at={row.updated_at} />
            </Cell>
          </Row>
        ))}
      </Table>
      <ShowMore pages={pages} />
    </>
  );
}

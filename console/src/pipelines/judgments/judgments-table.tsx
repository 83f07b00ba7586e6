import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { count, money } from '../../ui/figures.ts';
import { inertText } from '../../ui/inert-text.ts';
import { ShowMore } from '../../ui/show-more.tsx';
import { EmptyState, LoadingLines, ProblemNote } from '../../ui/states.tsx';
import { Cell, Row, right, Table } from '../../ui/table.tsx';
import { type JudgmentFilter, judgmentsQuery } from './list-judgments.ts';

export function JudgmentsTable({ filter, empty }: { filter: JudgmentFilter; empty: string }): ReactNode {
  const pages = useInfiniteQuery(judgmentsQuery(filter));
  if (pages.isPending) return <LoadingLines lines={6} />;
  if (pages.isError) return <ProblemNote error={pages.error} onRetry={() => void pages.refetch()} />;
  const rows = pages.data.pages.flatMap((page) => page.data);
  if (rows.length === 0) return <EmptyState icon="table" title={empty} />;
  return (
    <>
      <Table label="Judgments" head={['Case', 'County', 'Plaintiff', 'Defendant', right('Amount'), 'Filed', 'From']}>
        {rows.map((row) => (
          <Row key={row.id}>
            <Cell className="figures whitespace-nowrap">{inertText(row.case_number)}</Cell>
            <Cell>{inertText(row.county ?? '–')}</Cell>
            <Cell className="max-w-56 truncate">
              {row.plaintiff_id === null ? (
                inertText(row.plaintiff_name ?? '–')
              ) : (
                <Link to="/data/judgments" search={{ plaintiff_id: String(row.plaintiff_id) }} className="link">
                  {inertText(row.plaintiff_name ?? `plaintiff ${row.plaintiff_id}`)}
                </Link>
              )}
            </Cell>
            <Cell className="max-w-56 truncate">{inertText(row.defendant_name ?? '–')}</Cell>
            <Cell className="figures text-right">
              {row.judgment_amount === null ? '–' : money(row.judgment_amount)}
            </Cell>
            <Cell className="figures whitespace-nowrap">{row.filing_date ?? '–'}</Cell>
            <Cell className="text-xs whitespace-nowrap">
              <Link to="/r/$runId" params={{ runId: row.run_id }} className="link figures">
                line {count(row.line)}
              </Link>
            </Cell>
          </Row>
        ))}
      </Table>
      <ShowMore pages={pages} />
    </>
  );
}

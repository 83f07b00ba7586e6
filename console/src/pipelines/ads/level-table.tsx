import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { count } from '../../ui/figures.ts';
import { inertText } from '../../ui/inert-text.ts';
import { EmptyState, LoadingLines, ProblemNote } from '../../ui/states.tsx';
import { Cell, Row, right, Table } from '../../ui/table.tsx';
import type { DataSearch } from './data-search.ts';
import { grainTitle, measureNames, measureTitle, measureValue } from './measure-names.ts';
import { totalsQuery } from './show-totals.ts';

type Level = 'campaign' | 'ad_set' | 'ad';
const words: Record<Level, string> = { campaign: 'Campaign', ad_set: 'Ad set', ad: 'Ad' };

/** The campaigns, ad sets or ads below, with their totals; a click goes one level deeper. */
export function LevelTable({ search, level }: { search: DataSearch; level: Level }): ReactNode {
  const totals = useQuery(totalsQuery(search, level));
  if (totals.isPending) return <LoadingLines lines={6} />;
  if (totals.isError) return <ProblemNote error={totals.error} onRetry={() => void totals.refetch()} />;
  const rows = totals.data.data;
  if (rows.length === 0)
    return (
      <EmptyState icon="table" title="Nothing stored here yet">
        <Link to="/" className="link">
          Drop an export
        </Link>{' '}
        and its numbers appear.
      </EmptyState>
    );
  const measures = measureNames(rows.map((row) => row.measures)).slice(0, 5);
  return (
    <Table
      label={`${words[level]} totals`}
      head={[
        words[level],
        ...measures.map((name) => right(measureTitle(name))),
        'Currency',
        'Reported by',
        right('Rows'),
      ]}
    >
      {rows.map((row) => (
        <Row key={`${row.key}:${row.currency}`}>
          <Cell className="max-w-80">
            <Link to="/data" search={{ ...search, [level]: row.key }} className="link block truncate" title={row.key}>
              {inertText(row.name ?? row.key)}
            </Link>
          </Cell>
          {measures.map((measure) => (
            <Cell key={measure} className="figures text-right">
              {measureValue(measure, row.measures[measure] ?? '–')}
            </Cell>
          ))}
          <Cell className="text-xs text-ink-2">{row.currency ?? '–'}</Cell>
          <Cell className="text-xs text-ink-2">{row.grains.map(grainTitle).join(', ')}</Cell>
          <Cell className="figures text-right text-ink-2">{count(row.rows)}</Cell>
        </Row>
      ))}
    </Table>
  );
}

import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { inertText } from '../../ui/inert-text.ts';
import { ShowMore } from '../../ui/show-more.tsx';
import { EmptyState, LoadingLines, ProblemNote } from '../../ui/states.tsx';
import { Cell, Row, right, Table } from '../../ui/table.tsx';
import { dailyMetricsQuery, type MetricFilter } from './list-daily-metrics.ts';
import { grainTitle, measureNames, measureTitle, measureValue } from './measure-names.ts';
import { ProvenanceDrawer } from './provenance-drawer.tsx';

/** Daily numbers; a click on one shows where it came from. */
export function DailyMetricsTable({ filter, empty }: { filter: MetricFilter; empty: string }): ReactNode {
  const pages = useInfiniteQuery(dailyMetricsQuery(filter));
  const [asked, setAsked] = useState<{ storedId: string; column: string }>();
  if (pages.isPending) return <LoadingLines lines={6} />;
  if (pages.isError) return <ProblemNote error={pages.error} onRetry={() => void pages.refetch()} />;
  const rows = pages.data.pages.flatMap((page) => page.data);
  if (rows.length === 0) return <EmptyState icon="table" title={empty} />;
  const measures = measureNames(rows.map((row) => row.measures));
  return (
    <>
      <Table
        label="Daily numbers"
        head={[
          'Day',
          'Campaign',
          'Ad set',
          'Ad',
          ...measures.map((name) => right(measureTitle(name))),
          'Currency',
          'Reported by',
        ]}
      >
        {rows.map((row) => (
          <Row key={row.id}>
            <Cell className="figures whitespace-nowrap">
              {row.metric_date}
              {row.period_end && ` – ${row.period_end}`}
            </Cell>
            <Cell className="max-w-56 truncate">{inertText(row.campaign_name ?? row.campaign_external_id ?? '–')}</Cell>
            <Cell className="max-w-48 truncate">{inertText(row.ad_set_name ?? row.ad_set_external_id ?? '–')}</Cell>
            <Cell className="max-w-48 truncate">{inertText(row.ad_name ?? row.ad_external_id ?? '–')}</Cell>
            {measures.map((measure) => {
              const value = row.measures[measure];
              return (
                <Cell key={measure} className="figures text-right">
                  {value === null || value === undefined ? (
                    <span className="text-ink-3">–</span>
                  ) : (
                    <button
                      type="button"
                      onClick={() => setAsked({ storedId: row.id, column: measure })}
                      className="underline decoration-line-strong decoration-dotted underline-offset-3 hover:text-water-strong"
                      title="Where does this number come from?"
                    >
                      {measureValue(measure, value)}
                    </button>
                  )}
                </Cell>
              );
            })}
            <Cell className="text-xs text-ink-2">{row.currency ?? '–'}</Cell>
            <Cell className="text-xs text-ink-2">
              {grainTitle(row.grain)}
              {!row.counts && <span title="Totals are built from a fuller report of the day"> · not counted</span>}
            </Cell>
          </Row>
        ))}
      </Table>
      <ShowMore pages={pages} />
      {asked && <ProvenanceDrawer {...asked} onClose={() => setAsked(undefined)} />}
    </>
  );
}

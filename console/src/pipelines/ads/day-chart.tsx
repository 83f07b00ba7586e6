import { type ReactNode, useMemo } from 'react';
import { Plot, type PlotSeries } from '../../ui/chart/plot.tsx';
import { shortCount } from '../../ui/figures.ts';
import { Cell, Row, right, Table } from '../../ui/table.tsx';
import { measureTitle, measureValue } from './measure-names.ts';
import type { Total } from './show-totals.ts';

/** One measure by day, as bars; the same figures as a table for those who prefer to read. */
export default function DayChart({ days, measure }: { days: readonly Total[]; measure: string }): ReactNode {
  const drawn = useMemo(() => {
    const sorted = [...days].sort((a, b) => a.key.localeCompare(b.key));
    const x = sorted.map((day) => Date.parse(`${day.key}T00:00:00`) / 1000);
    const y = [sorted.map((day) => Number(day.measures[measure] ?? 0))];
    return { sorted, x, y };
  }, [days, measure]);
  const series: readonly PlotSeries[] = [{ label: measure, token: '--water', scale: 'y', bars: true, fill: true }];
  return (
    <div className="px-4 py-3">
      <Plot
        label={`${measureTitle(measure)} by day, ${days.length} days. The table below holds the figures.`}
        height={180}
        x={drawn.x}
        y={drawn.y}
        series={series}
        format={shortCount}
      />
      <details className="mt-1 text-xs">
        <summary className="cursor-pointer text-ink-2 hover:text-ink">As a table</summary>
        <div className="max-h-64 overflow-y-auto">
          <Table
            label={`${measureTitle(measure)} by day`}
            head={['Day', right(measureTitle(measure)), 'Currency', right('Rows')]}
          >
            {drawn.sorted.map((day) => (
              <Row key={`${day.key}:${day.currency}`}>
                <Cell className="figures">{day.key}</Cell>
                <Cell className="figures text-right">{measureValue(measure, day.measures[measure] ?? '0')}</Cell>
                <Cell>{day.currency ?? '–'}</Cell>
                <Cell className="figures text-right">{day.rows}</Cell>
              </Row>
            ))}
          </Table>
        </div>
      </details>
    </div>
  );
}

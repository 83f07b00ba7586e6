import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Panel } from '../../ui/page.tsx';
import { meanings } from '../../ui/receipt/receipt-segments.ts';
import { DailyMetricsTable } from '../data/daily-metrics-table.tsx';

const route = getRouteApi('/shell/r/$runId/rows');

/** The rows this run left in the tables, each cell with its passport. */
export function StoredRows(): ReactNode {
  const { runId } = route.useParams();
  const { outcome } = route.useSearch();
  return (
    <Panel
      title="Stored rows of this run"
      aside={
        outcome && (
          <span>
            {outcome}: {meanings[outcome] ?? 'counted by the pipeline'} ·{' '}
            <Link to="/r/$runId/rows" params={{ runId }} search={{}} className="link">
              clear
            </Link>
          </span>
        )
      }
    >
      {outcome === 'unchanged' || outcome === 'stale' || outcome === 'superseded' || outcome === 'merged' ? (
        <p className="border-b border-line px-4 py-2 text-sm text-ink-2">
          Rows counted as {outcome} wrote nothing of their own; below is what this run stored.
        </p>
      ) : null}
      <DailyMetricsTable filter={{ run_id: runId }} empty="This run stored no rows that are still current" />
    </Panel>
  );
}

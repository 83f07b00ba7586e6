import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Panel } from '../../ui/page.tsx';
import { meanings } from '../../ui/receipt/receipt-segments.ts';
import { DailyMetricsTable } from '../data/daily-metrics-table.tsx';
import { JudgmentsTable } from '../data/judgments-table.tsx';
import { runQuery } from './show-run.ts';

const nothing = 'This run stored no rows that are still current';
const route = getRouteApi('/shell/r/$runId/rows');

/** The rows this run left in the tables, each cell with its passport. */
export function StoredRows(): ReactNode {
  const { runId } = route.useParams();
  const { outcome } = route.useSearch();
  const { data: run } = useSuspenseQuery(runQuery(runId));
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
      {run.pipeline === 'judgments' ? (
        <JudgmentsTable filter={{ run_id: runId }} empty={nothing} />
      ) : (
        <DailyMetricsTable filter={{ run_id: runId }} empty={nothing} />
      )}
    </Panel>
  );
}

import type { ReactNode } from 'react';
import { DailyMetricsTable } from './daily-metrics-table.tsx';

/** The numbers a run stored and nothing has replaced since. */
export function StoredMetrics({ runId, empty }: { runId: string; empty: string }): ReactNode {
  return <DailyMetricsTable filter={{ run_id: runId }} empty={empty} />;
}

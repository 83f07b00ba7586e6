import type { ReactNode } from 'react';
import { JudgmentsTable } from './judgments-table.tsx';

/** The judgments a run stored and nothing has replaced since. */
export function StoredJudgments({ runId, empty }: { runId: string; empty: string }): ReactNode {
  return <JudgmentsTable filter={{ run_id: runId }} empty={empty} />;
}

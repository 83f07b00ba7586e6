// A batch is a run of the judgments pipeline. This is that run in the words of the batch contract.
import type { AnswerOf } from '../../../contract/api/client.ts';
import type { ShownRun } from '../../../engine/reads/run-columns.ts';
import { titleOf, viewRun } from '../../../http/run-views/run-view.ts';

export type BatchView = AnswerOf<'batches.list'>['data'][number];

export function viewBatch(row: ShownRun): BatchView {
  const text = (name: string) => {
    const value = row.input[name];
    return typeof value === 'string' ? value : null;
  };
  const run = viewRun(row);
  return {
    run_id: row.id,
    source_batch_id: row.unique_key ?? row.id,
    file_hash: text('file_hash'),
    filename: titleOf(row),
    status: row.status,
    phase: row.phase,
    record_count: row.receipt?.read ?? null,
    receipt: run.receipt,
    error_type: row.error_code,
    error_text: row.error_text,
    retry_of: row.retry_of,
    supersedes: text('supersedes'),
    created_at: run.created_at,
    started_at: run.started_at,
    completed_at: run.finished_at,
  };
}

// POST /v1/ingestion-runs/:run_id/retry
import { handle } from '../../call.ts';
import { retryRun } from '../../run-actions/retry-run.ts';
import { findWorkingRun } from '../../run-views/ingestion-lines.ts';
import { requireVisibleRun } from '../../run-views/show-run.ts';
import { look } from '../change.ts';
import { answerIngestionRun } from './answer.ts';

export const retryIngestionRun = handle('ingestion-runs.retry', async (call) => {
  const working = await look(call, (db) => findWorkingRun(call.app, db, call.principal, call.params.run_id));
  // Asked for a second time while the retry is under way: that is the retry.
  const isUnderWay = working.id !== call.params.run_id && working.finished_at === null;
  if (isUnderWay) call.trail.acted({ target: call.params.run_id, data: { successor: working.id } });
  const runId = isUnderWay ? working.id : await retryRun(call, working.id);
  return answerIngestionRun(call, (db) => requireVisibleRun(db, call.principal, runId));
});

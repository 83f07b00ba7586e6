// POST /v1/runs/:run_id/undo
import { handle } from '../../call.ts';
import { previewUndo, startUndo } from '../../run-actions/undo-run.ts';

export const undoRun = handle('runs.undo', async (call) => {
  const { run_id: runId } = call.params;
  const isDryRun = call.body?.dry_run ?? false;
  const found = await previewUndo(call, runId);
  if (isDryRun) call.trail.changedNothing();
  const undo = isDryRun ? null : await startUndo(call, found);
  if (undo !== null) call.trail.acted({ target: runId, data: { undo } });
  return { run_id: undo, undoes: runId, dry_run: isDryRun, counts: { ...found.counts } };
});

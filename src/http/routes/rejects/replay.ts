// POST /v1/runs/:run_id/replay: the corrected rows run again, as a run of their own; if asked, the others with them, as they are.
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { countRejects } from '../../../engine/reads/list-rejects.ts';
import { handle } from '../../call.ts';
import { rejectToolsFor } from '../../reject-tools/tools-for.ts';
import { linkRun } from '../../run-actions/link-run.ts';
import { requireVisibleRun } from '../../run-views/show-run.ts';
import { look } from '../change.ts';

export const replayRejects = handle('rejects.replay', async (call) => {
  const { principal, params, body, request, idempotencyKey } = call;
  const { run, counts } = await look(call, async (db, tenantId) => ({
    run: await requireVisibleRun(db, principal, params.run_id),
    counts: await countRejects(db, tenantId, params.run_id),
  }));
  const takesOpen = body?.uncorrected ?? false;
  if (counts.corrected + (takesOpen ? counts.open : 0) === 0)
    throw new MillraceError('nothing_to_replay', { run: run.id });
  const tools = rejectToolsFor(call.app, run, call.operation);
  const by = { principal, idempotencyKey, correlationId: request.id };
  const { runId, rows } = await tools.replay(run, { rejectIds: body?.reject_ids, takesOpen }, by);
  call.trail.acted({ target: run.id, data: { run: runId, rows } });
  return { ...(await linkRun(call, runId)), rows };
});

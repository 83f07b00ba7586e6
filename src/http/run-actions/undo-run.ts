// Undoing a run on behalf of a caller: its pipeline says whether and how, a new run does it. The key of that run is the run it undoes, so that
// two clicks make one; one that failed is retried.
import { makerOf } from '../../access/principal.ts';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { ShownRun } from '../../engine/reads/run-columns.ts';
import type { Call } from '../call.ts';
import { actorOf, engineOf } from '../engine-of.ts';
import { partsOf, type UndoTools } from '../pipeline-parts.ts';
import { look } from '../routes/change.ts';
import { requireVisibleRun } from '../run-views/show-run.ts';
import { findUndo, undoKey } from './find-undo.ts';
import { isUndone } from './legal-actions.ts';

type UndoCall = Pick<Call<'runs.undo'>, 'app' | 'operation' | 'principal' | 'origin' | 'trail'>;

/** What would become of what the run stored. Throws when it cannot be undone, or is undone. */
export async function previewUndo(call: UndoCall, runId: string) {
  return look(call, async (db) => {
    const run = await requireVisibleRun(db, call.principal, runId);
    const tools = requireTools(call, run);
    const undo = await findUndo(db, run);
    if (undo !== undefined && undo.phase === 'done')
      throw new MillraceError('run_undone', { run: run.id, by: undo.id });
    return { run, tools, undo, counts: await tools.preview(db, run) };
  });
}

/** The id of the run that undoes it. */
export async function startUndo(
  call: UndoCall,
  { run, tools, undo }: Awaited<ReturnType<typeof previewUndo>>,
): Promise<string> {
  if (undo !== undefined && isUndone(undo)) return undo.id;
  const engine = engineOf(call);
  const { correlationId } = call.origin;
  const correlation = correlationId === null ? {} : { correlationId };
  const { id } =
    undo === undefined
      ? await engine.enqueue({
          pipeline: run.pipeline,
          tenantId: run.tenant_id,
          input: tools.inputOf(run),
          uniqueKey: undoKey(run),
          createdBy: makerOf(call.principal),
          ...correlation,
        })
      : await engine.retry(actorOf(call.principal), undo.id, correlation);
  return id;
}

function requireTools(call: UndoCall, run: ShownRun): UndoTools {
  const tools = partsOf(call.app, run.pipeline).actions?.undo;
  if (tools === undefined || run.phase !== 'done' || !tools.mayUndo(run))
    throw new MillraceError('undo_unsupported', { run: run.id, pipeline: run.pipeline, status: run.status });
  return tools;
}

// The run that undoes another one: its key names the run that it undoes.
import { readRunByKey } from '../../engine/reads/read-run.ts';
import type { RunRow, ShownRun } from '../../engine/reads/run-columns.ts';
import type { Queryable } from '../../platform/database.ts';

export const undoKey = (run: { readonly id: string }) => `undo:${run.id}`;

/** The run that undoes this one, or tried to; of several tries the last. */
export function findUndo(db: Queryable, run: ShownRun): Promise<RunRow | undefined> {
  return readRunByKey(db, { tenantId: run.tenant_id, pipeline: run.pipeline, uniqueKey: undoKey(run) });
}

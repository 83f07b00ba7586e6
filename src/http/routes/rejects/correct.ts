// PUT /v1/runs/:run_id/rejects/:reject_id/correction: stores the corrected cells and says at once what is still wrong.
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { lockReject, type RejectRow } from '../../../engine/reads/list-rejects.ts';
import { correctRejects } from '../../../engine/sql/correct-rejects.ts';
import type { Queryable } from '../../../platform/database.ts';
import { type Call, handle } from '../../call.ts';
import { shapes } from '../../cursor.ts';
import { correctedCells, viewReject } from '../../reject-tools/reject-view.ts';
import { rejectToolsFor } from '../../reject-tools/tools-for.ts';
import { requireVisibleRun } from '../../run-views/show-run.ts';
import { change } from '../change.ts';

export const correctReject = handle('rejects.correct', (call) => {
  const { run_id: runId, reject_id: rejectId } = call.params;
  const correct = (db: Queryable) => correctOne(db, call);
  return change(call, correct, ({ valid }) => ({ target: `${runId}/${rejectId}`, data: { valid } }));
});

async function correctOne(db: Queryable, call: Call<'rejects.correct'>) {
  const { principal, params, body, operation } = call;
  const { tenantId } = principal;
  const run = await requireVisibleRun(db, principal, params.run_id);
  const reject = await requireOpenReject(db, call);
  const isTakenBack = Object.keys(body.cells).length === 0;
  const checked = isTakenBack
    ? [[]]
    : await rejectToolsFor(call.app, run, operation).check(run, [correctedCells(reject, body.cells)]);
  const faults = [...(checked[0] ?? [])];
  const isValid = !isTakenBack && faults.length === 0;
  await correctRejects(db, { tenantId, runId: run.id, by: principal.actor }, [
    {
      rejectId: reject.reject_id,
      correction: isTakenBack ? null : { cells: body.cells, faults },
      status: isValid ? 'corrected' : 'open',
    },
  ]);
  const stored = (await lockReject(db, tenantId, run.id, reject.reject_id)) ?? reject;
  return { reject: viewReject(stored), valid: isValid, faults };
}

async function requireOpenReject(db: Queryable, { principal, params }: Call<'rejects.correct'>): Promise<RejectRow> {
  const { run_id: runId, reject_id: rejectId } = params;
  const found = shapes.integer.test(rejectId) ? await lockReject(db, principal.tenantId, runId, rejectId) : undefined;
  if (found === undefined) throw new MillraceError('reject_not_found', { reject: rejectId, run: runId });
  if (found.status === 'replayed' || found.status === 'resolved')
    throw new MillraceError('reject_settled', { reject: rejectId, status: found.status });
  return found;
}

// GET /v1/runs/:run_id/rows: what the segments of a receipt are made of.
import type { AnswerOf } from '../../../contract/api/client.ts';
import { handle } from '../../call.ts';
import { pageOf, readCursor, shapes, writeCursor } from '../../cursor.ts';
import { partsOf } from '../../pipeline-parts.ts';
import { requireVisibleRun } from '../../run-views/show-run.ts';
import { look } from '../change.ts';

export const listFileRows = handle('runs.rows', async (call) => {
  const { limit, after, outcome } = call.query;
  const cursor = readCursor(after, shapes.integer);
  const wanted = {
    outcomes: outcome === undefined ? null : outcome.split(','),
    // The cursor counts from one, the rows of a file from zero.
    afterRow: Number(cursor?.[0] ?? 0) - 1,
    limit: limit + 1,
  };
  const { rows, kept } = await look(call, async (db) => {
    const run = await requireVisibleRun(db, call.principal, call.params.run_id);
    return (await partsOf(call.app, run.pipeline).rows?.(db, run, wanted)) ?? { rows: [], kept: false };
  });
  return { ...pageOf(rows, limit, (row) => writeCursor(row.row)), kept } as AnswerOf<'runs.rows'>;
});

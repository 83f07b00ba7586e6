// GET /v1/runs/:run_id/attempts
import { handle } from '../../call.ts';
import { pageOf, readCursor, shapes, writeCursor } from '../../cursor.ts';
import { requireVisibleRun, viewAttempt } from '../../runs/show-run.ts';
import { readAttempts } from '../../sql/read-run.ts';
import { look } from '../change.ts';

export const listAttempts = handle('runs.attempts', async (call) => {
  const { run_id: runId } = call.params;
  const { after, limit } = call.query;
  const cursor = readCursor(after, shapes.integer);
  const rows = await look(call, async (db, tenantId) => {
    await requireVisibleRun(db, call.principal, runId);
    return readAttempts(db, tenantId, runId, Number(cursor?.[0] ?? 0), limit + 1);
  });
  const page = pageOf(rows, limit, (row) => writeCursor(row.attempt));
  return { data: page.data.map(viewAttempt), next: page.next };
});

// GET /v1/runs/:run_id/attempts

import { readAttempts } from '../../../engine/reads/read-attempts.ts';
import { handle } from '../../call.ts';
import { pageOf, readCursor, shapes, writeCursor } from '../../cursor.ts';
import { requireVisibleRun, viewAttempts } from '../../run-views/show-run.ts';
import { look } from '../change.ts';

export const listAttempts = handle('runs.attempts', async (call) => {
  const { run_id: runId } = call.params;
  const { after, limit } = call.query;
  const cursor = readCursor(after, shapes.integer);
  const before = Number(cursor?.[0] ?? 0);
  const rows = await look(call, async (db, tenantId) => {
    await requireVisibleRun(db, call.principal, runId);
    // From the first one on: an attempt has its number from those before it. None is numbered higher than there are.
    return readAttempts(db, tenantId, runId, { after: 0, limit: before + limit + 1 });
  });
  const wanted = viewAttempts(rows).filter(({ attempt }) => attempt > before);
  const { data, next } = pageOf(wanted, limit, ({ attempt }) => writeCursor(attempt));
  return { data: [...data], next };
});

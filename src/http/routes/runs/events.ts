// GET /v1/runs/:run_id/events

import { readRunEvents } from '../../../engine/reads/read-events.ts';
import { handle } from '../../call.ts';
import { pageOf, readCursor, shapes, writeCursor } from '../../cursor.ts';
import { viewEvent } from '../../live/view-event.ts';
import { splitWords } from '../../run-views/find-runs.ts';
import { requireVisibleRun } from '../../run-views/show-run.ts';
import { look } from '../change.ts';

export const listRunEvents = handle('runs.events', async (call) => {
  const { run_id: runId } = call.params;
  const { after, limit, type } = call.query;
  const cursor = readCursor(after, shapes.integer);
  const { run, rows } = await look(call, async (db, tenantId) => ({
    run: await requireVisibleRun(db, call.principal, runId),
    rows: await readRunEvents(db, tenantId, runId, {
      after: cursor?.[0],
      types: splitWords(type),
      limit: limit + 1,
    }),
  }));
  const page = pageOf(rows, limit, (row) => writeCursor(row.position));
  return { data: page.data.map((row) => viewEvent({ ...row, pipeline: run.pipeline })), next: page.next };
});

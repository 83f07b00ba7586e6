// GET /v1/dead-letters: runs that wait for a person. POST …/acknowledge: one of them has been seen, and nothing more is to be done.
import { pageDeadLetters } from '../../../engine/reads/dead-letters.ts';
import { handle } from '../../call.ts';
import { pageOf, readCursor, shapes, writeCursor } from '../../cursor.ts';
import { actorOf, engineOf } from '../../engine-of.ts';
import { linkRun } from '../../run-actions/link-run.ts';
import { splitWords } from '../../run-views/find-runs.ts';
import { isShownTo } from '../../run-views/hidden-runs.ts';
import { viewRuns } from '../../run-views/list-view.ts';
import { look } from '../change.ts';

export const listDeadLetters = handle('dead-letters.list', async (call) => {
  const { after, limit, pipeline } = call.query;
  const beforeId = readCursor(after, shapes.uuid)?.[0];
  const rows = await look(call, (db, tenantId) =>
    pageDeadLetters(db, tenantId, { pipelines: splitWords(pipeline), beforeId, limit: limit + 1 }),
  );
  const page = pageOf(rows, limit, (row) => writeCursor(row.id));
  const shown = page.data.filter((run) => isShownTo(call.app, call.principal, run));
  return { data: await viewRuns(call, shown), next: page.next };
});

export const acknowledgeDeadLetter = handle('dead-letters.acknowledge', async (call) => {
  const { principal, params, body, trail } = call;
  const isNew = await engineOf(call).acknowledge(actorOf(principal), params.run_id, body.reason);
  if (isNew) trail.acted({ target: params.run_id, data: { reason: body.reason } });
  else trail.changedNothing();
  return linkRun(call, params.run_id);
});

// GET /v1/runs/:run_id/rejects

import { listRejects as selectRejects } from '../../../engine/reads/list-rejects.ts';
import { handle } from '../../call.ts';
import { pageOf, readCursor, shapes, writeCursor } from '../../cursor.ts';
import { viewReject } from '../../reject-tools/reject-view.ts';
import { splitWords } from '../../run-views/find-runs.ts';
import { requireVisibleRun } from '../../run-views/show-run.ts';
import { look } from '../change.ts';

export const listRejects = handle('rejects.list', async (call) => {
  const { run_id: runId } = call.params;
  const { after, limit, skip, cluster, code, status } = call.query;
  const cursor = readCursor(after, shapes.integer);
  const rows = await look(call, async (db, tenantId) => {
    await requireVisibleRun(db, call.principal, runId);
    return selectRejects(db, {
      tenantId,
      runId,
      after: cursor?.[0] ?? '0',
      cause: cluster ?? null,
      codes: splitWords(code),
      statuses: splitWords(status),
      skip,
      limit: limit + 1,
    });
  });
  const page = pageOf(rows, limit, (row) => writeCursor(row.reject_id));
  return { data: page.data.map(viewReject), next: page.next };
});

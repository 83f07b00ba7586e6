// GET /v1/judgments

import { handle } from '../../../http/call.ts';
import { pageOf, readCursor, shapes, writeCursor } from '../../../http/cursor.ts';
import { look } from '../../../http/routes/change.ts';
import { wirePage } from '../../../http/wire.ts';
import { canonicalCaseNumber, countyKey } from '../case-row.ts';
import { listJudgments as selectJudgments } from '../sql/list-judgments.ts';

export const listJudgments = handle('judgments.list', async (call) => {
  const { limit, after, case_number: caseNumber, county, plaintiff_id: plaintiffId, run_id: runId } = call.query;
  const cursor = readCursor(after, shapes.integer);
  const rows = await look(call, (db, tenantId) =>
    selectJudgments(db, {
      tenantId,
      afterId: Number(cursor?.[0] ?? 0),
      caseNumber: caseNumber === undefined ? null : canonicalCaseNumber(caseNumber),
      // Punctuation alone names no county, and finds none.
      countyKey: county === undefined ? null : (countyKey(county) ?? ''),
      plaintiffId: plaintiffId === undefined ? null : Number(plaintiffId),
      runId: runId ?? null,
      limit: limit + 1,
    }),
  );
  return wirePage(pageOf(rows, limit, (row) => writeCursor(row.id)));
});

// GET /v1/questions
import { listOpenQuestions } from '../../../engine/sql/questions.ts';
import { handle } from '../../call.ts';
import { pageOf, readCursor, shapes, writeCursor } from '../../cursor.ts';
import { hiddenFrom } from '../../run-views/hidden-runs.ts';
import { viewQuestion } from '../../run-views/view-question.ts';
import { look } from '../change.ts';

export const listQuestions = handle('questions.list', async (call) => {
  const { after, limit } = call.query;
  const cursor = readCursor(after, shapes.uuid);
  const rows = await look(call, (db, tenantId) =>
    listOpenQuestions(db, tenantId, {
      after: cursor?.[0] ?? null,
      limit: limit + 1,
      hidden: hiddenFrom(call.app, call.principal),
    }),
  );
  const page = pageOf(rows, limit, (row) => writeCursor(row.question_id));
  return { data: page.data.map(viewQuestion), next: page.next };
});

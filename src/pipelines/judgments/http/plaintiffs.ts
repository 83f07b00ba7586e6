// GET /v1/plaintiffs and POST /v1/plaintiffs/:plaintiff_id/split

import { handle } from '../../../http/call.ts';
import { pageOf, readCursor, shapes, writeCursor } from '../../../http/cursor.ts';
import { change, look } from '../../../http/routes/change.ts';
import { wire, wirePage } from '../../../http/wire.ts';
import { nameKeyOf } from '../plaintiff-keys.ts';
import { splitCases } from '../review.ts';
import { listPlaintiffs as selectPlaintiffs } from '../sql/list-judgments.ts';

export const listPlaintiffs = handle('plaintiffs.list', async (call) => {
  const { limit, after, name } = call.query;
  const cursor = readCursor(after, shapes.integer);
  // A name of signs only is nobody's: its key is one that no plaintiff has.
  const nameKey = name === undefined ? null : (nameKeyOf(name) ?? '');
  const rows = await look(call, (db, tenantId) =>
    selectPlaintiffs(db, { tenantId, afterId: Number(cursor?.[0] ?? 0), nameKey, limit: limit + 1 }),
  );
  return wirePage(pageOf(rows, limit, (row) => writeCursor(row.id)));
});

export const splitPlaintiff = handle('plaintiffs.split', async (call) => {
  const { principal, params, body } = call;
  const review = await change(
    call,
    (db, tenantId) =>
      splitCases(db, {
        tenantId,
        plaintiffId: Number(params.plaintiff_id),
        judgmentIds: body.judgment_ids,
        by: principal.actor,
      }),
    (made) => ({ target: params.plaintiff_id, data: { review: made.id, cases: body.judgment_ids.length } }),
  );
  return wire(review);
});

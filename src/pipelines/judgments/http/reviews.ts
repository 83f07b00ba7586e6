// GET /v1/plaintiff-reviews and POST /v1/plaintiff-reviews/:review_id/decision

import { handle } from '../../../http/call.ts';
import { pageOf, readCursor, shapes, writeCursor } from '../../../http/cursor.ts';
import { change, look } from '../../../http/routes/change.ts';
import { splitWords } from '../../../http/run-views/find-runs.ts';
import { wire, wirePage } from '../../../http/wire.ts';
import { decideReview } from '../review.ts';
import { listReviews as selectReviews } from '../sql/review-plaintiffs.ts';

export const listReviews = handle('plaintiff-reviews.list', async (call) => {
  const { limit, after, status } = call.query;
  const cursor = readCursor(after, shapes.integer);
  const rows = await look(call, (db, tenantId) =>
    selectReviews(db, {
      tenantId,
      afterId: Number(cursor?.[0] ?? 0),
      statuses: splitWords(status) ?? ['open'],
      limit: limit + 1,
    }),
  );
  return wirePage(pageOf(rows, limit, (row) => writeCursor(row.id)));
});

export const decideReviews = handle('plaintiff-reviews.decide', async (call) => {
  const { principal, params, body } = call;
  const { decided, review } = await change(
    call,
    (db, tenantId) =>
      decideReview(db, body.decision, {
        tenantId,
        reviewId: Number(params.review_id),
        by: principal.actor,
        all: body.all === true,
      }),
    (result) => ({ target: params.review_id, data: { decision: body.decision, decided: result.decided } }),
  );
  return { decided, review: wire(review) };
});

// What people decide about plaintiffs: two are one, two are not, these cases are somebody else's. Each decision can be undone.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { Queryable } from '../../platform/database.ts';
import { uuidv7 } from '../../platform/ids.ts';
import {
  acceptReviews,
  type Decision,
  findReview,
  lockCases,
  type ReviewRow,
  rejectReviews,
  splitPlaintiff,
  undoReview,
} from './sql/review-plaintiffs.ts';

export type DecisionWord = 'accept' | 'reject' | 'undo';

export interface Decided {
  readonly decided: number;
  readonly review: ReviewRow;
}

export async function decideReview(db: Queryable, word: DecisionWord, decision: Decision): Promise<Decided> {
  const { tenantId, reviewId } = decision;
  const before = await requireReview(db, tenantId, reviewId);
  const act = {
    accept: () => acceptReviews(db, decision),
    reject: () => rejectReviews(db, decision),
    undo: () => undoReview(db, tenantId, reviewId),
  }[word];
  const decided = await act();
  if (decided === 0) throw new MillraceError('review_decided', { review: reviewId, status: before.status });
  return { decided, review: await requireReview(db, tenantId, reviewId) };
}

export async function splitCases(
  db: Queryable,
  split: {
    readonly tenantId: string;
    readonly plaintiffId: number;
    readonly judgmentIds: readonly number[];
    readonly by: string;
  },
): Promise<ReviewRow> {
  const { tenantId, plaintiffId } = split;
  const judgmentIds = [...new Set(split.judgmentIds)];
  const cases = await lockCases(db, tenantId, plaintiffId, judgmentIds);
  const refuse = (reason: string) => new MillraceError('split_invalid', { plaintiff: plaintiffId, reason });
  if (!cases.exists) throw new MillraceError('plaintiff_not_found', { plaintiff: plaintiffId });
  if (cases.owned < judgmentIds.length) throw refuse('not all of them are this plaintiff’s');
  if (cases.owned === cases.all_cases) throw refuse('it would be left without any');
  const reviewId = await splitPlaintiff(db, { ...split, judgmentIds, key: `split:${uuidv7()}` });
  return requireReview(db, tenantId, reviewId ?? -1);
}

async function requireReview(db: Queryable, tenantId: string, reviewId: number): Promise<ReviewRow> {
  const review = await findReview(db, tenantId, reviewId);
  if (review === undefined) throw new MillraceError('review_not_found', { review: reviewId });
  return review;
}

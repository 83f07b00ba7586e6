// Who is recognised as whom, over rows and batches; and what people make of the rest.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useDatabase } from '../../../test/support/database.ts';
import { newTenant } from '../../../test/support/engine.ts';
import {
  casesOf,
  type JudgmentsBench,
  judgmentsFile,
  openJudgmentsBench,
  plaintiffsOf,
} from '../../../test/support/judgments.ts';
import { withTenant } from '../../platform/database.ts';
import { decideReview, splitCases } from './review.ts';
import { listJudgments } from './sql/list-judgments.ts';
import { listReviews } from './sql/review-plaintiffs.ts';

const database = useDatabase();
let bench: JudgmentsBench;

beforeAll(async () => {
  bench = await openJudgmentsBench(database.appUrl);
  await bench.engine.start();
});
afterAll(() => bench.close());

const row = (number: string, name: string, email = '', phone = '') =>
  `${number},${name},Dan,10,2024-01-01,Kings,${email},${phone},`;
const asApp = <T>(tenantId: string, work: Parameters<typeof withTenant<T>>[2]) =>
  withTenant(database.app, { tenantId, role: 'millrace_app' }, work);
const reviewsOf = (tenantId: string, ...statuses: string[]) =>
  asApp(tenantId, (db) =>
    listReviews(db, { tenantId, afterId: 0, statuses: statuses.length === 0 ? ['open'] : statuses, limit: 100 }),
  );
const linksOf = async (tenantId: string) => (await casesOf(database.admin, tenantId)).map((each) => each.dedupe_key);

describe('plaintiffs', () => {
  it('with one email are one, and so are those that an email and a phone in one row connect, in whichever order', async () => {
    const tenantId = newTenant();
    const run = await bench.ingest(
      tenantId,
      judgmentsFile(
        row('A-1', 'Ann', '', '212-555-0100'),
        row('A-2', 'Ann', 'ann@example.test', '(212) 555 0100'),
        row('A-3', 'Ann A.', 'ANN@example.test'),
      ),
    );
    expect(run.receipt).toMatchObject({ plaintiffs: 1, reviews: 0 });
    expect(new Set(await linksOf(tenantId)).size).toBe(1);
    const later = await bench.ingest(tenantId, judgmentsFile(row('A-4', 'Ann', '', '2125550100')));
    expect(later.receipt).toMatchObject({ plaintiffs: 0 });
    expect(new Set(await linksOf(tenantId)).size).toBe(1);
  });

  it.each([1, 2])(
    'named without email in a case of theirs stay theirs, whatever %i phones others were learned by',
    async (others) => {
      const tenantId = newTenant();
      const learned = Array.from({ length: others }, (_, i) =>
        row(`B-${i}`, `Bea ${i}`, `b${i}@x.test`, `21255501${i}0`),
      );
      await bench.ingest(tenantId, judgmentsFile(row('J-1', 'John Smith', 'john@x.test'), ...learned));
      const later = await bench.ingest(tenantId, judgmentsFile(row('J-1', 'John Smith').replace(',10,', ',11,')));
      expect([later.status, later.receipt?.outcomes]).toEqual(['completed', { updated: 1 }]);
      const cases = await casesOf(database.admin, tenantId);
      expect(cases.at(-1)).toMatchObject({
        case_number: 'J-1',
        judgment_amount: '11',
        dedupe_key: 'email:john@x.test',
      });
    },
  );

  it('keep what an earlier row of the same file said where a later one says nothing', async () => {
    const tenantId = newTenant();
    await bench.ingest(
      tenantId,
      judgmentsFile(row('A-1', 'Ann', 'ann@example.test', '212-555-0100'), row('A-2', 'Ann B.', 'ann@example.test')),
    );
    expect(await plaintiffsOf(database.admin, tenantId)).toMatchObject([
      { name: 'Ann B.', email: 'ann@example.test', phone: '212-555-0100' },
    ]);
  });

  it('known by phone adopt the email that a later batch brings', async () => {
    const tenantId = newTenant();
    await bench.ingest(tenantId, judgmentsFile(row('A-1', 'Ann', '', '212-555-0100')));
    await bench.ingest(tenantId, judgmentsFile(row('A-2', 'Ann', 'ann@example.test', '212-555-0100')));
    await bench.ingest(tenantId, judgmentsFile(row('A-3', 'Ann', 'ann@example.test')));
    expect(await plaintiffsOf(database.admin, tenantId)).toMatchObject([
      { dedupe_key: 'phone:2125550100', email: 'ann@example.test' },
    ]);
    expect(await linksOf(tenantId)).toEqual(Array(3).fill('phone:2125550100'));
  });

  it('with the name alone are not merged but proposed; with "n/a" for a phone they are strangers', async () => {
    const tenantId = newTenant();
    const run = await bench.ingest(
      tenantId,
      judgmentsFile(row('N-1', 'John Smith'), row('N-2', 'JOHN SMITH', '', 'n/a'), row('N-3', 'Jane Roe', '', 'n/a')),
    );
    expect(run.receipt).toMatchObject({ plaintiffs: 3, reviews: 1 });
    const [review, ...others] = await reviewsOf(tenantId);
    expect([review?.reason, others.length]).toEqual(['same_name', 0]);
    expect([review?.plaintiff.name, review?.match.name].sort()).toEqual(['JOHN SMITH', 'John Smith']);
  });

  it('with two emails and one phone are two, and proposed', async () => {
    const tenantId = newTenant();
    await bench.ingest(tenantId, judgmentsFile(row('S-1', 'Ann', 'ann@example.test', '212-555-0100')));
    await bench.ingest(tenantId, judgmentsFile(row('S-2', 'Bob', 'bob@example.test', '212-555-0100')));
    expect(await reviewsOf(tenantId)).toMatchObject([{ reason: 'shared_phone', plaintiff: { name: 'Bob' } }]);
  });

  it('stay linked when a later batch brings the case without contacts', async () => {
    const tenantId = newTenant();
    await bench.ingest(tenantId, judgmentsFile(row('K-1', 'Ann Lee', 'ann@example.test')));
    const run = await bench.ingest(tenantId, judgmentsFile(row('K-1', 'ann lee')));
    expect(run.receipt).toMatchObject({ plaintiffs: 0, reviews: 0 });
    expect(await linksOf(tenantId)).toEqual(['email:ann@example.test']);
  });
});

describe('a review', () => {
  async function namesakes(count: number): Promise<string> {
    const tenantId = newTenant();
    const rows = Array.from({ length: count }, (_, index) => row(`R-${index}`, 'Max Muster'));
    await bench.ingest(tenantId, judgmentsFile(...rows));
    return tenantId;
  }
  const rootsOf = async (tenantId: string) =>
    (
      await asApp(tenantId, (db) =>
        listJudgments(db, {
          tenantId,
          afterId: 0,
          caseNumber: null,
          countyKey: null,
          plaintiffId: null,
          runId: null,
          limit: 100,
        }),
      )
    ).map((each) => each.plaintiff_id);
  const decide = (tenantId: string, word: 'accept' | 'reject' | 'undo', reviewId: number, all = false) =>
    asApp(tenantId, (db) => decideReview(db, word, { tenantId, reviewId, by: 'ada', all }));

  it('accepted makes two plaintiffs one, undone makes them two again', async () => {
    const tenantId = await namesakes(2);
    const [review] = await reviewsOf(tenantId);
    expect(await decide(tenantId, 'accept', review?.id ?? 0)).toMatchObject({
      decided: 1,
      review: { status: 'accepted' },
    });
    expect(new Set(await rootsOf(tenantId)).size).toBe(1);
    await expect(decide(tenantId, 'accept', review?.id ?? 0)).rejects.toMatchObject({ code: 'review_decided' });
    await decide(tenantId, 'undo', review?.id ?? 0);
    expect(new Set(await rootsOf(tenantId)).size).toBe(2);
    expect(await reviewsOf(tenantId)).toHaveLength(1);
  });

  it('can be accepted with all others of its match at once', async () => {
    const tenantId = await namesakes(5);
    const [review] = await reviewsOf(tenantId);
    expect(await decide(tenantId, 'accept', review?.id ?? 0, true)).toMatchObject({ decided: 4 });
    expect(new Set(await rootsOf(tenantId)).size).toBe(1);
  });

  it('rejected is not proposed again by the same rows', async () => {
    const tenantId = await namesakes(2);
    const [review] = await reviewsOf(tenantId);
    await decide(tenantId, 'reject', review?.id ?? 0);
    await bench.ingest(tenantId, judgmentsFile(row('R-0', 'Max Muster'), row('R-1', 'Max Muster')));
    expect(await reviewsOf(tenantId)).toEqual([]);
  });

  it('of another tenant does not exist', async () => {
    const tenantId = await namesakes(2);
    const [review] = await reviewsOf(tenantId);
    await expect(decide(newTenant(), 'accept', review?.id ?? 0)).rejects.toMatchObject({ code: 'review_not_found' });
  });
});

describe('a split', () => {
  it('gives cases to a new plaintiff, holds against later batches, and can be undone', async () => {
    const tenantId = newTenant();
    const file = judgmentsFile(row('S-1', 'Ann', 'office@example.test'), row('S-2', 'Bob', 'office@example.test'));
    await bench.ingest(tenantId, file);
    const [plaintiff] = await plaintiffsOf(database.admin, tenantId);
    const { rows } = await database.admin.query<{ id: number }>(
      `select id from judgments where tenant_id = $1 and case_number = 'S-2'`,
      [tenantId],
    );
    const split = { tenantId, plaintiffId: plaintiff?.id ?? 0, judgmentIds: [rows[0]?.id ?? 0], by: 'ada' };
    const review = await asApp(tenantId, (db) => splitCases(db, split));
    expect(review).toMatchObject({ reason: 'split', status: 'split', plaintiff: { name: 'Bob' } });
    await bench.ingest(tenantId, file);
    expect(new Set(await linksOf(tenantId)).size).toBe(2);
    await asApp(tenantId, (db) => decideReview(db, 'undo', { tenantId, reviewId: review.id, by: 'ada', all: false }));
    expect(new Set(await linksOf(tenantId)).size).toBe(1);
  });

  it('of somebody else’s cases, or of all, is refused', async () => {
    const tenantId = newTenant();
    await bench.ingest(tenantId, judgmentsFile(row('S-1', 'Ann', 'ann@example.test')));
    const [plaintiff] = await plaintiffsOf(database.admin, tenantId);
    const split = (judgmentIds: number[]) =>
      asApp(tenantId, (db) => splitCases(db, { tenantId, plaintiffId: plaintiff?.id ?? 0, judgmentIds, by: 'ada' }));
    await expect(split([999_999_999])).rejects.toMatchObject({ code: 'split_invalid' });
    const { rows } = await database.admin.query<{ id: number }>('select id from judgments where tenant_id = $1', [
      tenantId,
    ]);
    await expect(split([rows[0]?.id ?? 0])).rejects.toMatchObject({ code: 'split_invalid' });
  });
});

// Slices of quick items: a range of rows is claimed, not each row. For whoever looks it is as if each were claimed; whoever loses a slice writes nothing of it.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { useItems } from '../../../test/support/items.ts';
import { gate } from '../../../test/support/shared-run.ts';
import { waitFor } from '../../../test/support/wait-for.ts';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { withTenant } from '../../platform/database.ts';
import { defineProcessor, found, notFound, type Outcome, refused } from './processors/processor.ts';
import { breakUpSlice } from './sql/claim-slices.ts';

let opened: Promise<void> = Promise.resolve();
let begun = 0;
/** With which keys the rows of the last job were asked about. */
const keys = new Map<number, string[]>();
let before = async (_row: number): Promise<void> => undefined;
let answer = (row: number, _attempt: number): Outcome => found({ word: String(row) });

const ranged = defineProcessor<Record<string, never>>({
  name: 'ranged',
  version: 1,
  title: 'In ranges',
  options: z.strictObject({}),
  output: z.object({ word: z.string() }),
  columns: [{ name: 'word', title: 'Word', type: 'text' }],
  strategies: ['plain'],
  async process(item, { attempt, idempotencyKey: key }) {
    begun += 1;
    keys.set(item.rowIndex, [...(keys.get(item.rowIndex) ?? []), key]);
    await opened;
    await before(item.rowIndex);
    return answer(item.rowIndex, attempt);
  },
});

const bench = useItems({
  processors: [ranged],
  settings: { claimMin: 300, claimMax: 300, itemTimeoutMs: 600_000, itemSharedFrom: 1_000_000, itemConcurrency: 256 },
});

const submit = (rows: number) =>
  bench.submit(['word,number', ...Array.from({ length: rows }, (_, index) => `w,${index}`)], { processor: 'ranged' });

const slices = (job: string) =>
  bench.db.admin
    .query<{ from_row: number; to_row: number; locked_by: string }>(
      'select from_row, to_row, locked_by from item_slices where job_id = $1 order by from_row',
      [job],
    )
    .then(({ rows }) => rows);

/** The column "Status" of an export that is written now. */
async function exportedStatuses(job: string): Promise<string[]> {
  const { body } = await bench.call('jobs.export', job, { query: { format: 'csv' } });
  const headers = { authorization: `Bearer ${bench.admin.token}` };
  const { body: text } = await bench.api.server.inject({ method: 'GET', url: body.url, headers });
  return text
    .trimEnd()
    .split('\r\n')
    .slice(1)
    .map((line) => line.split(',')[1] ?? '');
}

async function atWork(rows: number) {
  const hold = gate();
  opened = hold.opened;
  begun = 0;
  keys.clear();
  const job = await submit(rows);
  await waitFor(() => begun > 0, { what: 'the first item' });
  return { job, hold };
}

it('items of a claimed range are PROCESSING for whoever looks, and nobody else changes them', async () => {
  const { job, hold } = await atWork(450);
  expect(await slices(job)).toMatchObject([{ from_row: 0, to_row: 300 }]);
  expect(await bench.job(job)).toMatchObject({ processing_items: 300, pending_items: 450 });
  const working = await bench.items(job, { status: 'PROCESSING', pageSize: '500' });
  expect(working.map(({ row_index: row }) => row)).toEqual(Array.from({ length: 300 }, (_, row) => row));
  expect(working[0]).toMatchObject({ status: 'PROCESSING', locked_by: expect.stringMatching(/^part 0:/) });
  expect(working[0].locked_at).not.toBeNull();
  const waiting = await bench.items(job, { status: 'PENDING', pageSize: '500' });
  expect(waiting.map(({ row_index: row }) => row)).toEqual(Array.from({ length: 150 }, (_, row) => row + 300));
  const pending = await bench.items(job, { statuses: 'PENDING,PROCESSING', sort: 'updated_at', pageSize: '500' });
  expect(pending.filter(({ status }) => status === 'PROCESSING')).toHaveLength(300);
  // Of a few in any order, and in the order of the file, as without a filter.
  const all = await bench.items(job, { statuses: 'DONE,PENDING,PROCESSING', pageSize: '70' });
  expect(all.map(({ row_index: row, status }) => [row, status])).toEqual(
    (await bench.items(job, { pageSize: '500' })).map(({ row_index: row, status }) => [row, status]),
  );
  expect(await exportedStatuses(job)).toEqual(all.map(({ status }) => status));
  const ids = [working[7].id, waiting[7].id];
  const again = await bench.call('jobs.reprocess', job, { body: { scope: 'items', itemIds: ids } });
  expect(again.body).toMatchObject({ reset: 1, skipped: 1 });
  hold.open();
  expect(await bench.ended(job)).toMatchObject({ queue_state: 'DONE', done_items: 450, processing_items: 0 });
  expect(await slices(job)).toEqual([]);
  const { rows } = await bench.db.admin.query(
    `select count(*)::int as n, count(distinct item_id)::int as items, max(claim) as claim, max(attempt) as attempt
     from all_item_attempts where job_id = $1`,
    [job],
  );
  expect(rows).toEqual([{ n: 450, items: 450, claim: 1, attempt: 1 }]);
});

it('every fate of a range is counted and recorded as if the items had been claimed one by one', async () => {
  opened = Promise.resolve();
  answer = (row) => {
    if (row % 3 === 1) return notFound({ isFinal: true });
    return row % 3 === 2 ? refused('endpoint_refused', 'No.') : found({ word: `row ${row}` });
  };
  const job = await submit(600);
  expect(await bench.ended(job)).toMatchObject({ done_items: 200, not_found_items: 200, error_items: 200 });
  answer = (row) => found({ word: String(row) });
  const [first, second, third] = await bench.items(job, { pageSize: '3' });
  expect(first).toMatchObject({ status: 'DONE', result: { word: 'row 0' }, attempts: 1, error_code: null });
  expect(second).toMatchObject({ status: 'NOT_FOUND', result: null, error_code: 'item_not_matched' });
  expect(third).toMatchObject({ status: 'ERROR', result: null, error_code: 'endpoint_refused' });
});

it('a range whose worker went silent is broken up: each item is recorded as lost and done by another, and late results change nothing', async () => {
  const { job, hold } = await atWork(320);
  const asWorker = { tenantId: bench.admin.tenantId, role: 'items_worker' };
  const breakUp = () => withTenant(bench.db.app, asWorker, (tx) => breakUpSlice(tx, job, bench.admin.tenantId, job));
  expect(await breakUp()).toBe(0);
  await bench.db.admin.query(`update item_slices set lock_expires_at = engine.now() where job_id = $1`, [job]);
  expect(await breakUp()).toBe(1);
  answer = (_, attempt) => found({ word: attempt === 1 ? 'first' : 'second' });
  hold.open();
  expect(await bench.ended(job)).toMatchObject({ queue_state: 'DONE', done_items: 320 });
  answer = (row) => found({ word: String(row) });
  const { rows } = await bench.db.admin.query(
    `select outcome, claim, attempt, count(*)::int as n from all_item_attempts where job_id = $1
     group by outcome, claim, attempt order by outcome, claim`,
    [job],
  );
  expect(rows).toEqual([
    { outcome: 'FOUND', claim: 1, attempt: 1, n: 20 },
    { outcome: 'FOUND', claim: 2, attempt: 2, n: 300 },
    { outcome: 'LOST', claim: 1, attempt: 1, n: 300 },
  ]);
  // The answers were lost, so each is asked for again under its key.
  const asked = [...keys.values()];
  expect(asked.some((each) => each.length === 2)).toBe(true);
  expect(asked.filter((each) => new Set(each).size > 1)).toEqual([]);
  const words = (await bench.items(job, { pageSize: '500' })).map(({ result }) => result?.word);
  expect(words).toEqual(Array.from({ length: 320 }, (_, row) => (row < 300 ? 'second' : 'first')));
});

it('what quick items were found with is recorded a row per slice, and read as if each attempt had a row of its own', async () => {
  opened = Promise.resolve();
  const job = await submit(1_500);
  expect(await bench.ended(job)).toMatchObject({ queue_state: 'DONE', done_items: 1_500 });
  const { rows } = await bench.db.admin.query(
    `select (select count(*)::int from item_attempts where job_id = $1) as single,
            (select sum(cardinality(item_ids))::int from item_slice_attempts where job_id = $1) as together,
            (select count(distinct item_id)::int from all_item_attempts where job_id = $1 and is_final) as items`,
    [job],
  );
  expect(rows).toEqual([{ single: 0, together: 1_500, items: 1_500 }]);
  expect(await bench.engine.verify(bench.admin.tenantId, job)).toMatchObject({ agrees: true });
  const item = (await bench.items(job, { pageSize: '500' }))[417];
  const { body } = await bench.call('jobs.item', job, { params: { item_id: item.id } });
  expect(body.record).toMatchObject([{ attempt: 1, outcome: 'FOUND', strategy: 'plain', is_final: true }]);
  const again = await bench.call('jobs.reprocess', job, { body: { scope: 'items', itemIds: [item.id] } });
  expect(again.body).toMatchObject({ reset: 1 });
  expect(await bench.ended(job)).toMatchObject({ queue_state: 'DONE', done_items: 1_500 });
  const later = await bench.call('jobs.item', job, { params: { item_id: item.id } });
  expect(later.body.record).toHaveLength(2);
  expect(await bench.engine.verify(bench.admin.tenantId, job)).toMatchObject({ agrees: true });
});

it('a slice that was claimed ahead and not begun goes back untouched when the one before it fails', async () => {
  opened = Promise.resolve();
  const hold = gate();
  let [isAt, failed] = [false, 0];
  before = async (row) => {
    if (row !== 1_000 || failed > 0) return;
    isAt = true;
    await hold.opened;
  };
  answer = (row) => {
    if (row === 1_000 && failed === 0) {
      failed += 1;
      throw new MillraceError('database_lost');
    }
    return found({ word: String(row) });
  };
  const job = await submit(2_100);
  await waitFor(() => isAt, { what: 'row 1,000' });
  // The slice that it is in, and the next one.
  const held = async () => (await slices(job)).map(({ from_row: from }) => from).join();
  await waitFor(async () => ((await held()) === '900,1200' ? true : undefined), { what: 'a slice claimed ahead' });
  hold.open();
  expect(await bench.ended(job)).toMatchObject({ queue_state: 'DONE', done_items: 2_100 });
  answer = (row) => found({ word: String(row) });
  before = async () => undefined;
  expect(failed).toBe(1);
  const { rows } = await bench.db.admin.query(
    `select count(*)::int as n, count(distinct item_id)::int as items, count(*) filter (where outcome = 'LOST')::int as lost
     from all_item_attempts where job_id = $1`,
    [job],
  );
  expect(rows).toEqual([{ n: 2_100, items: 2_100, lost: 0 }]);
  expect(await slices(job)).toEqual([]);
});

describe('a slice of long rows', () => {
  const bench = useItems({
    processors: [ranged],
    claimBytes: 40_000,
    settings: { claimMin: 300, claimMax: 300, itemTimeoutMs: 600_000, itemSharedFrom: 1_000_000, itemConcurrency: 256 },
  });

  it('holds no more rows than fit into its bytes', async () => {
    const hold = gate();
    opened = hold.opened;
    begun = 0;
    const long = Array.from({ length: 310 }, (_, index) => `${'x'.repeat(990)},${index}`);
    const job = await bench.submit(['word,number', ...long], { processor: 'ranged' });
    await waitFor(() => begun > 0, { what: 'the first item' });
    const { processing_items: held } = await bench.job(job);
    expect([held > 30, held <= 40]).toEqual([true, true]);
    hold.open();
    expect(await bench.ended(job)).toMatchObject({ queue_state: 'DONE', done_items: 310 });
  });
});

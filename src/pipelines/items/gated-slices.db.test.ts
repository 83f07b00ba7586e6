// Work that stands still until the test lets it go on: a job shared by two workers, and a job paused while a slice is at work. An item may
// take as long as it likes here, so that nothing depends on how soon the test is there.
import { expect, it } from 'vitest';
import { z } from 'zod';
import { useItems } from '../../../test/support/items.ts';
import { gate } from '../../../test/support/shared-run.ts';
import { waitFor } from '../../../test/support/wait-for.ts';
import { defineProcessor, found } from './processors/processor.ts';

let opened: Promise<void> = Promise.resolve();
let begun = 0;

const gated = defineProcessor<Record<string, never>>({
  name: 'gated',
  version: 1,
  title: 'When the test says so',
  options: z.strictObject({}),
  output: z.object({ word: z.string() }),
  columns: [{ name: 'word', title: 'Word', type: 'text' }],
  strategies: ['plain'],
  limits: { key: () => 'gated' },
  async process(item) {
    begun += 1;
    await opened;
    return found({ word: item.cells.word ?? '' });
  },
});

/** Three parts and two slots each: no worker can hold them all. */
const bench = useItems({
  processors: [gated],
  workers: 2,
  concurrency: 2,
  settings: {
    itemSharedFrom: 30,
    itemPartsPerJob: 3,
    itemTimeoutMs: 600_000,
    workerTargetSliceMs: 200,
    claimMax: 10,
    itemConcurrency: 4,
  },
});

const submit = (rows: number) =>
  bench.submit(['word,number', ...Array.from({ length: rows }, (_, index) => `w,${index}`)], { processor: 'gated' });

it('a large job is shared by several workers, every item once, and its counters equal a recount', async () => {
  const all = gate();
  opened = all.opened;
  const job = await submit(200);
  await waitFor(
    async () =>
      (await bench.db.admin.query('select distinct worker_id from engine.leases where run_id = $1', [job])).rows
        .length === 2,
    { what: 'two workers' },
  );
  all.open();
  expect(await bench.ended(job)).toMatchObject({ queue_state: 'DONE', done_items: 200 });
  const { rows } = await bench.db.admin.query<{ n: number; finals: number }>(
    `select count(*)::int as n, count(*) filter (where is_final)::int as finals from all_item_attempts where job_id = $1 and outcome <> 'LOST'`,
    [job],
  );
  expect(rows).toEqual([{ n: 200, finals: 200 }]);
});

it('a paused job ends its slice and begins none; resumed it goes on', async () => {
  const first = gate();
  opened = first.opened;
  begun = 0;
  const job = await submit(29);
  await waitFor(() => begun > 0, { what: 'the first item' });
  expect((await bench.call('jobs.pause', job)).body.queue_state).toBe('PAUSED');
  first.open();
  await waitFor(async () => (await bench.engine.run(bench.admin.tenantId, job)).phase === 'waiting', {
    what: 'the slice to end',
  });
  const paused = await bench.job(job);
  expect(paused.queue_state).toBe('PAUSED');
  expect(paused.pending_items).toBeGreaterThan(0);
  expect(paused.why).toMatch(/^paused by /);
  const kickoff = await bench.call('jobs.kickoff', job, { query: { durationMs: '50' } });
  expect([kickoff.status, kickoff.body.code]).toEqual([409, 'job_paused']);
  expect((await bench.call('jobs.resume', job)).body.queue_state).not.toBe('PAUSED');
  expect(await bench.ended(job)).toMatchObject({ queue_state: 'DONE', done_items: 29 });
  expect((await bench.call('jobs.pause', job)).body.code).toBe('job_ended');
  expect((await bench.call('jobs.resume', job)).body.code).toBe('job_ended');
  expect((await bench.call('jobs.kickoff', job)).body.code).toBe('job_ended');
});

it('paused during a kick-off: the kick-off ends its slice and begins none, and no item is processed twice', async () => {
  const slice = gate();
  opened = slice.opened;
  const job = await submit(29);
  const byKickoff = `select count(*)::int as n from job_items where job_id = $1 and locked_by like 'kickoff:%'`;
  // Its rows are there before it is known that they are all; until then nothing can be kicked off.
  await waitFor(async () => (await bench.job(job)).ingested_at, { what: 'the end of the reading' });
  const kickoff = bench.call('jobs.kickoff', job, { query: { durationMs: '30000' } });
  await waitFor(async () => ((await bench.db.admin.query<{ n: number }>(byKickoff, [job])).rows[0]?.n ?? 0) > 0, {
    what: 'items of the kick-off',
  });
  expect((await bench.call('jobs.pause', job)).body.queue_state).toBe('PAUSED');
  slice.open();
  const { status, body } = await kickoff;
  expect(status).toBe(200);
  expect(body.processed).toBeGreaterThan(0);
  const paused = await bench.job(job);
  expect(paused).toMatchObject({ queue_state: 'PAUSED' });
  expect(paused.processed_items).toBeLessThan(29);
  await bench.call('jobs.resume', job);
  expect(await bench.ended(job)).toMatchObject({ queue_state: 'DONE', done_items: 29 });
  const { rows } = await bench.db.admin.query('select item_id from all_item_attempts where job_id = $1', [job]);
  expect(new Set(rows.map(({ item_id: id }) => id)).size).toBe(rows.length);
});

it('two kick-offs at once, and a worker beside them, hold different items at the same moment, and process every item once', async () => {
  const slice = gate();
  opened = slice.opened;
  const job = await submit(29);
  await waitFor(async () => (await bench.job(job)).ingested_at, { what: 'the end of the reading' });
  const kickoffs = [1, 2].map(() => bench.call('jobs.kickoff', job, { query: { durationMs: '30000' } }));
  await waitFor(
    async () => {
      const { rows } = await bench.db.admin.query<{ kickoffs: number; others: number }>(
        `select count(distinct locked_by) filter (where locked_by like 'kickoff:%')::int as kickoffs,
                count(distinct locked_by) filter (where locked_by like 'part %')::int as others
         from job_items where job_id = $1 and status = 'PROCESSING'`,
        [job],
      );
      return rows[0]?.kickoffs === 2 && rows[0].others === 1 ? true : undefined;
    },
    { what: 'items of both, and of the worker' },
  );
  slice.open();
  for (const { status, body } of await Promise.all(kickoffs)) {
    expect(status).toBe(200);
    expect(body.processed).toBeGreaterThan(0);
  }
  expect(await bench.ended(job)).toMatchObject({ queue_state: 'DONE', done_items: 29, processed_items: 29 });
  const { rows } = await bench.db.admin.query('select item_id from all_item_attempts where job_id = $1', [job]);
  expect([rows.length, new Set(rows.map(({ item_id: id }) => id)).size]).toEqual([29, 29]);
});

it('reprocessed and exported while it runs: items at work are left alone, and the export has every row with its status', async () => {
  const slice = gate();
  opened = slice.opened;
  begun = 0;
  const job = await submit(12);
  await waitFor(() => begun > 0, { what: 'the first item' });
  const held = (await bench.items(job, { status: 'PROCESSING' })).map(({ id }) => id);
  expect(held.length).toBeGreaterThan(0);
  const again = await bench.call('jobs.reprocess', job, { body: { scope: 'items', itemIds: held } });
  expect([again.status, again.body.reset]).toEqual([202, 0]);
  const { status, body } = await bench.call('jobs.export', job, { query: { format: 'csv' } });
  expect([status, body.rows]).toEqual([201, 12]);
  const headers = { authorization: `Bearer ${bench.admin.token}` };
  const file = await bench.api.server.inject({ method: 'GET', url: body.url, headers });
  const written = file.body.trimEnd().split('\r\n').slice(1);
  expect(written.map((line) => line.split(',').slice(0, 2).join())).toEqual(
    (await bench.items(job)).map(({ row_index: row, status: now }) => `${row + 1},${now}`),
  );
  expect(written.filter((line) => line.includes('PROCESSING'))).toHaveLength(held.length);
  slice.open();
  expect(await bench.ended(job)).toMatchObject({ queue_state: 'DONE', done_items: 12 });
  const { rows } = await bench.db.admin.query(`select 1 from all_item_attempts where job_id = $1`, [job]);
  expect(rows).toHaveLength(12);
});

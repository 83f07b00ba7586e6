// A process that dies between resetting items and starting a run for them: the items are not forgotten.
import { expect, it } from 'vitest';
import { z } from 'zod';
import { useItems } from '../../../test/support/items.ts';
import { waitFor } from '../../../test/support/wait-for.ts';
import { withTenant } from '../../platform/database.ts';
import { silentLog } from '../../platform/log.ts';
import { startLeftovers } from './leftovers.ts';
import { defineProcessor, found, notFound } from './processors/processor.ts';
import { resetItems } from './reprocess.ts';

let isOpen = false;
const later = defineProcessor<Record<string, never>>({
  name: 'later',
  version: 1,
  title: 'In an hour',
  options: z.strictObject({}),
  output: z.object({ word: z.string() }),
  columns: [{ name: 'word', title: 'Word', type: 'text' }],
  strategies: ['plain'],
  process: async ({ cells }) => (isOpen ? found({ word: cells.word ?? '' }) : notFound()),
});
const bench = useItems({ processors: [later] });

const rows = { 'of which some failed': ['KET-1700,', 'no,4006381333932'], 'that failed whole': ['no,4006381333932'] };

/** A job that has ended, whose failed items were reset by somebody who then died. */
async function abandoned(lines: readonly string[]): Promise<string> {
  const jobId = await bench.submit(['SKU,EAN', ...lines], { catalog: 'sample' });
  await bench.ended(jobId);
  // The consumer has looked at the job, and will not look again.
  await waitFor(
    async () => {
      const { rows } = await bench.db.admin.query(
        `select from engine.consumers where consumer = 'items leftovers'
         and position >= (select max(f.position) from engine.event_positions f join engine.events e using (event_id) where e.run_id = $1)`,
        [jobId],
      );
      return rows.length > 0 ? true : undefined;
    },
    { what: 'the consumer' },
  );
  const { tenantId } = bench.admin;
  const reset = await resetItems((work) => withTenant(bench.db.app, { tenantId, role: 'millrace_app' }, work), jobId, {
    itemIds: null,
    statuses: ['ERROR'],
  });
  expect(reset).toBe(1);
  expect(await bench.job(jobId)).toMatchObject({ pending_items: 1, error_items: 0 });
  return jobId;
}

async function expectProcessedAgain(jobId: string, lines: readonly string[]): Promise<void> {
  const job = await bench.ended(jobId);
  expect(job).toMatchObject({ error_items: 1, pending_items: 0, processed_items: lines.length });
  expect(job.run_id).not.toBe(jobId);
}

it.each(Object.entries(rows))('items of a job %s are processed by a run that the cleanup starts', async (_, lines) => {
  const jobId = await abandoned(lines);
  expect(await startLeftovers({ engine: bench.engine, log: silentLog })).toBe(1);
  await expectProcessedAgain(jobId, lines);
  expect(await startLeftovers({ engine: bench.engine, log: silentLog })).toBe(0);
});

it.each(Object.entries(rows))(
  'items of a job %s are processed when whoever had no answer asks again',
  async (_, lines) => {
    const jobId = await abandoned(lines);
    const { status, body } = await bench.call('jobs.reprocess', jobId, { body: {} });
    expect([status, body.reset]).toEqual([202, 0]);
    await expectProcessedAgain(jobId, lines);
  },
);

it('what a run left that was cancelled stays as it is until somebody asks for it', async () => {
  isOpen = false;
  const jobId = await bench.submit(['word', 'a', 'b'], { processor: 'later' });
  await waitFor(async () => (await bench.job(jobId)).next_attempt_at, { what: 'the job to wait for a retry' });
  await bench.engine.cancel({ tenantId: bench.admin.tenantId, by: 'tester' }, jobId);
  // A run that is still at work ends at its next commit.
  await bench.ended(jobId);
  await bench.db.admin.query('update job_items set next_attempt_at = engine.now() where job_id = $1', [jobId]);
  isOpen = true;
  expect(await startLeftovers({ engine: bench.engine, log: silentLog })).toBe(0);
  expect(await bench.job(jobId)).toMatchObject({ queue_state: 'FAILED', pending_items: 2 });
  const { body } = await bench.call('jobs.reprocess', jobId, { body: {} });
  expect([body.reset, body.run_id === jobId]).toEqual([0, false]);
  expect(await bench.ended(jobId)).toMatchObject({ queue_state: 'DONE', done_items: 2 });
});

// Answers of a megabyte each: a slice of them is not kept until all are there.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { useItems } from '../../../test/support/items.ts';
import { big } from '../../../test/support/items-provider.ts';
import { compiledProgram } from '../../../test/support/programs.ts';
import { gate } from '../../../test/support/shared-run.ts';
import { csvRows, submitItems } from '../../../test/support/submit-items.ts';
import { waitFor } from '../../../test/support/wait-for.ts';
import { defineProcessor, found } from './processors/processor.ts';

const LAST = 200;
let last = gate();
const wordy = defineProcessor<Record<string, never>>({
  name: 'wordy',
  version: 1,
  title: 'Wordy',
  options: z.strictObject({}),
  output: z.object({ text: z.string() }),
  columns: [{ name: 'text', title: 'Text', type: 'text' }],
  strategies: ['plain'],
  async process({ rowIndex }) {
    if (rowIndex === LAST) await last.opened;
    return found({ text: 'x'.repeat(10_000) });
  },
});

// A slice is as large as the file and may take an hour: nothing but the bytes says when to commit.
const settings = { claimMin: 300, claimMax: 300, workerTargetSliceMs: 3_600_000, itemTimeoutMs: 3_600_000 };
const bench = useItems({ processors: [wordy, big], settings, resultBytes: 100_000 });

it('answers are committed as soon as they are as many bytes as may wait, while the rest of their slice is at work', async () => {
  last = gate();
  const rows = Array.from({ length: LAST + 1 }, (_, row) => `w,${row}`);
  const job = await bench.submit(['word,number', ...rows], { processor: 'wordy' });
  const items = await waitFor(
    async () => {
      const { done_items: done } = await bench.job(job);
      return done >= LAST - 10 ? bench.items(job, { pageSize: '500' }) : undefined;
    },
    { what: 'the answers before the last one' },
  );
  expect(items.filter(({ status }) => status === 'PROCESSING').length).toBeLessThanOrEqual(11);
  last.open();
  expect(await bench.ended(job)).toMatchObject({ queue_state: 'DONE', done_items: LAST + 1 });
  const { rows: commits } = await bench.db.admin.query<{ at_once: number }>(
    `select max(cardinality(item_ids)) as at_once from item_slice_attempts where job_id = $1`,
    [job],
  );
  // Ten make the bytes full; those that came while they were written go with the next.
  expect(commits[0]?.at_once).toBeLessThanOrEqual(20);
});

it('160 MB of answers go through a process that has 110 MB, in one slice', async () => {
  const { tenantId } = bench.admin;
  await bench.engine.stop();
  const jobId = await submitItems(bench.engine, bench.deps, { tenantId, processor: 'big', body: csvRows(160) });
  const orders = { url: bench.db.appUrl, folder: bench.folder, items: settings };
  const program = compiledProgram('test/support/items-worker.ts');
  const worker = spawn(process.execPath, ['--max-old-space-size=110', program, JSON.stringify(orders)], {
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  const died = once(worker, 'exit').then(([code]) => `its process ended with ${code}`);
  const job = await Promise.race([died, bench.ended(jobId)]);
  expect(job).toMatchObject({ queue_state: 'DONE', done_items: 160 });
  const { rows } = await bench.db.admin.query<{ slices: number }>(
    `select count(distinct started_at)::int as slices from item_slice_attempts where job_id = $1`,
    [jobId],
  );
  expect(rows[0]?.slices).toBeLessThanOrEqual(1);
  worker.kill('SIGKILL');
  await died;
});

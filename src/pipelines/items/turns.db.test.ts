// Jobs that take turns: one of hours does not keep others waiting, whether they are of its tenant or of another.
import { expect, it } from 'vitest';
import { z } from 'zod';
import { buildTenant, buildUser } from '../../../test/support/api.ts';
import { useItems } from '../../../test/support/items.ts';
import { waitFor } from '../../../test/support/wait-for.ts';
import { defineProcessor, found } from './processors/processor.ts';

const slow = defineProcessor<Record<string, never>>({
  name: 'slow',
  version: 1,
  title: 'Slow',
  options: z.strictObject({}),
  output: z.object({ word: z.string() }),
  columns: [{ name: 'word', title: 'Word', type: 'text' }],
  strategies: ['plain'],
  async process(item) {
    const { word = '' } = item.cells;
    if (word === 'slow') await new Promise((go) => setTimeout(go, 20));
    return found({ word });
  },
});

const bench = useItems({
  processors: [slow],
  concurrency: 2,
  turnMs: 100,
  settings: {
    itemJobsPerTenant: 2,
    itemSharedFrom: 2_000,
    itemPartsPerJob: 2,
    itemConcurrency: 4,
    workerTargetSliceMs: 100,
    claimMax: 20,
  },
});

const rows = (count: number, word: string) => [
  'word,number',
  ...Array.from({ length: count }, (_, index) => `${word},${index}`),
];
const submit = (count: number, word: string, as = bench.admin) =>
  bench.submit(rows(count, word), { processor: 'slow' }, as);

it('a small job is done while large ones are at work that have every worker, and as many as their tenant may have', async () => {
  // Alone each of them takes minutes: one that is shared, and one that is not.
  const large = [await submit(50_000, 'slow'), await submit(1_900, 'slow')];
  for (const job of large)
    await waitFor(async () => ((await bench.job(job)).processed_items > 0 ? true : undefined), {
      what: 'the large jobs to be at work',
    });
  const other = await buildUser(bench.db, await buildTenant(bench.db), 'admin');
  const [mine, theirs] = [await submit(3, 'quick'), await submit(3, 'quick', other)];
  expect(await bench.ended(mine)).toMatchObject({ queue_state: 'DONE', done_items: 3 });
  await waitFor(
    async () => {
      const { body } = await bench.call('jobs.show', theirs, { as: other });
      return body.queue_state === 'DONE' ? true : undefined;
    },
    { what: 'the job of the other tenant' },
  );
  for (const job of large) {
    const { queue_state: state, processed_items: processed, run_id: run } = await bench.job(job);
    expect(['QUEUED', 'RUNNING']).toContain(state);
    // It gave way and goes on.
    await waitFor(async () => ((await bench.job(job)).processed_items > processed ? true : undefined), {
      what: 'the large job to go on',
    });
    await bench.engine.cancel({ tenantId: bench.admin.tenantId, by: 'tester' }, run);
  }
  const { rows: twice } = await bench.db.admin.query(
    'select item_id from all_item_attempts group by job_id, item_id having count(*) > 1 limit 1',
  );
  expect(twice).toEqual([]);
});

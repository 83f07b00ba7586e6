// A job that waits for a retry of later, and a person who does not.
import { expect, it } from 'vitest';
import { z } from 'zod';
import { useItems } from '../../../test/support/items.ts';
import { waitFor } from '../../../test/support/wait-for.ts';
import { defineProcessor, found, notFound } from './processors/processor.ts';

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

/** A job whose one item waits for its retry, and whose run waits with it. */
async function waiting(): Promise<{ job: string; item: string }> {
  isOpen = false;
  const job = await bench.submit(['word', 'a'], { processor: 'later' });
  await waitFor(
    async () => {
      const { rows } = await bench.db.admin.query('select from engine.scheduled where run_id = $1', [job]);
      return rows.length === 1 ? true : undefined;
    },
    { what: 'the run to wait for the retry' },
  );
  const [item] = await bench.items(job);
  isOpen = true;
  return { job, item: item.id };
}

it('an item that is reprocessed while its job waits for a retry of later is processed now', async () => {
  const { job, item } = await waiting();
  const { body } = await bench.call('jobs.reprocess', job, { body: { scope: 'items', itemIds: [item] } });
  expect(body).toMatchObject({ reset: 1, run_id: job });
  expect(await bench.ended(job)).toMatchObject({ queue_state: 'DONE', done_items: 1 });
});

it('an item whose cell is corrected while its job waits for a retry of later is processed now', async () => {
  const { job, item } = await waiting();
  await bench.call('jobs.correct', job, { params: { item_id: item }, body: { cells: { word: 'b' } } });
  expect(await bench.ended(job)).toMatchObject({ queue_state: 'DONE', done_items: 1 });
  expect((await bench.items(job))[0]).toMatchObject({ result: { word: 'b' } });
});

// Copies of rows in a file with more different rows than are remembered.
import { expect, it } from 'vitest';
import { useItems } from '../../../test/support/items.ts';

const bench = useItems({ mostRemembered: 3, settings: { ingestMinRows: 1 }, batchBytes: 8 });
const rows = ['SKU', 'A', 'B', 'A', 'C', 'D', 'E', 'D', 'B'];

it('the receipt of a job says for how many rows copies may have been missed, and nothing where none can have been', async () => {
  const submit = async (text: readonly string[], duplicates: 'skip' | 'process') => {
    const job = await bench.ended(await bench.submit(text, { catalog: 'sample', duplicates }));
    const run = await bench.api.call('runs.show', { as: bench.admin, params: { run_id: job.run_id } });
    const { doubts, unremembered } = run.json().receipt;
    return { skipped: job.skipped_items, doubts, unremembered };
  };
  // D, E and the second D came when A, B and C were remembered: the copies of A and B are recognised, that of D is not.
  expect(await submit(rows, 'skip')).toEqual({ skipped: 2, doubts: { copies_not_recognised: 1 }, unremembered: 3 });
  expect(await submit(['SKU', 'A', 'B', 'A', 'C'], 'skip')).toEqual({ skipped: 1, doubts: undefined });
  expect(await submit(rows, 'process')).toEqual({ skipped: 0, doubts: undefined });
});

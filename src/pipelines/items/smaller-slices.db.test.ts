// What makes slices smaller beside their time: items that fail, a process that is late, and one that is short of memory. Each with its reason on record.
import { syncBuiltinESMExports } from 'node:module';
import v8 from 'node:v8';
import { afterAll, expect, it } from 'vitest';
import { z } from 'zod';
import { useItems } from '../../../test/support/items.ts';
import { waitFor } from '../../../test/support/wait-for.ts';
import { defineProcessor, found, refused } from './processors/processor.ts';

const { getHeapStatistics } = v8;

/** Whoever asks is told so, also modules that were loaded long ago: test files share a process. */
function tellThatMemory(is: 'full' | 'as it is'): void {
  v8.getHeapStatistics = () => {
    const known = getHeapStatistics();
    return is === 'full' ? { ...known, used_heap_size: known.heap_size_limit * 0.9 } : known;
  };
  syncBuiltinESMExports();
}

afterAll(() => {
  v8.getHeapStatistics = getHeapStatistics;
  syncBuiltinESMExports();
});

const LATE_MS = 300;

const troubling = defineProcessor<{ way: string }>({
  name: 'troubling',
  version: 1,
  title: 'Trouble of one kind',
  options: z.strictObject({ way: z.string() }),
  output: z.object({ word: z.string() }),
  columns: [{ name: 'word', title: 'Word', type: 'text' }],
  strategies: ['plain'],
  limits: { key: ({ way }) => way },
  async process({ cells }, { options: { way } }) {
    if (way === 'failing') return refused('gtin_invalid', 'No.');
    // The event loop stands still now and then, as beside a computation that gives nothing back.
    if (way === 'late' && Number(cells.word?.slice(1)) % 8 === 0)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LATE_MS);
    return found({ word: cells.word ?? '' });
  },
});

// Slices are short, so that a job has many.
const settings = { itemConcurrency: 16, itemSharedFrom: 1_000, workerTargetSliceMs: 500 };
const bench = useItems({ processors: [troubling], settings });

it.each([
  ['where most of its items failed', 'failing', /^\d+ of \d+ items failed$/],
  ['where the process was late', 'late', /^the process was \d+ ms late$/],
  ['where memory is short', 'full', /^9\d % of the memory is in use$/],
])('the next slice of a job is smaller, and says why, %s', async (_, way, reason) => {
  tellThatMemory(way === 'full' ? 'full' : 'as it is');
  const words = Array.from({ length: 120 }, (__, at) => `w${at}`);
  const job = await bench.submit(['word', ...words], { processor: 'troubling', options: JSON.stringify({ way }) });
  await bench.ended(job);
  const decisions = await waitFor(
    async () => {
      const { rows } = await bench.db.admin.query<{ from_size: number; to_size: number; reason: string }>(
        `select from_size, to_size, reason from engine.decisions where run_id = $1 and size_name = 'items per slice' order by decided_at`,
        [job],
      );
      const fitting = rows.filter((row) => reason.test(row.reason));
      return fitting.length > 0 ? fitting : undefined;
    },
    { what: 'a decision with its reason' },
  );
  for (const { from_size: from, to_size: to } of decisions) expect(to).toBeLessThan(from);
});

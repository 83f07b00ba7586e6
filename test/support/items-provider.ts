// Processors for suites that break things: one that does nothing, and one whose provider fails, delays, refuses, answers late and answers twice, as the row and the
// attempt decide. What it answers names the attempt it belongs to, so that an auditor can tell an old answer from the latest.
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import {
  defineProcessor,
  found,
  notFound,
  refused,
  retry,
  skipped,
} from '../../src/pipelines/items/processors/processor.ts';

const none = z.strictObject({});

export const noop = defineProcessor<Record<string, never>>({
  name: 'noop',
  version: 1,
  title: 'Does nothing',
  options: none as never,
  output: z.object({ n: z.string() }),
  columns: [{ name: 'n', title: 'N', type: 'text' }],
  strategies: ['none'],
  process: async (item) => found({ n: item.cells.n ?? '' }),
});

/** The fate a row must have in the end, whatever happens on the way. */
export function fateOf(row: number): 'DONE' | 'NOT_FOUND' | 'ERROR' | 'SKIPPED' {
  if (row % 11 === 3) return 'NOT_FOUND';
  if (row % 13 === 5) return 'ERROR';
  return row % 17 === 7 ? 'SKIPPED' : 'DONE';
}

export const trouble = defineProcessor<Record<string, never>>({
  name: 'trouble',
  version: 1,
  title: 'Troubled',
  options: none as never,
  output: z.object({ key: z.string() }),
  columns: [{ name: 'key', title: 'Key', type: 'text' }],
  strategies: ['first', 'second'],
  limits: { concurrency: 4 },
  async process(item, { attempt, idempotencyKey: key }) {
    const [row, dice] = [item.rowIndex, (item.rowIndex * 7_919 + attempt * 104_729) % 97];
    // Slow ones are at work when their worker dies; the signal is not looked at, as providers do not.
    if (dice < 25) await pause(dice * 8);
    if (attempt === 1 && dice % 7 === 0) return retry('transient', 'The provider fails.');
    if (attempt === 1 && dice % 11 === 0) return retry('rate_limited', 'Busy.', { afterMs: 100 });
    if (attempt === 1 && dice % 13 === 0) throw new Error('the provider broke the connection');
    const fate = fateOf(row);
    if (fate === 'NOT_FOUND') return notFound({ isFinal: true });
    if (fate === 'ERROR') return refused('endpoint_refused', 'No.');
    if (fate === 'SKIPPED') return skipped('Left out.');
    return found({ key });
  },
});

/** Refuses everything during a storm. */
export function stormy(isStorm: () => boolean) {
  return defineProcessor<Record<string, never>>({
    name: 'stormy',
    version: 1,
    title: 'Stormy',
    options: none as never,
    output: z.object({ n: z.string() }),
    columns: [{ name: 'n', title: 'N', type: 'text' }],
    strategies: ['none'],
    async process(item) {
      await pause(2);
      if (isStorm()) return retry('rate_limited', 'Busy.', { afterMs: 500 });
      return found({ n: item.cells.n ?? '' });
    },
  });
}

// Processors for suites that break things: one that does nothing, and one whose provider fails, delays, refuses, answers late and answers twice, as the row and the
// attempt decide. What it answers names the attempt it belongs to, so that an auditor can tell an old answer from the latest.
import { appendFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
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

/** What the provider saw: a line per request, in a file that no kill takes away. */
const ledgerIn = (folder: string) => path.join(folder, 'asked.log');

export interface Asked {
  readonly jobId: string;
  readonly itemId: string;
  readonly key: string;
}

export function readLedger(folder: string): Asked[] {
  const lines = readFileSync(ledgerIn(folder), 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Asked);
}

export function trouble(folder: string) {
  return defineProcessor<Record<string, never>>({
    name: 'trouble',
    version: 1,
    title: 'Troubled',
    options: none as never,
    output: z.object({ key: z.string(), attempt: z.number() }),
    columns: [{ name: 'key', title: 'Key', type: 'text' }],
    strategies: ['first', 'second'],
    limits: { concurrency: 4 },
    async process(item, { attempt, idempotencyKey: key, jobId }) {
      const [row, dice] = [item.rowIndex, (item.rowIndex * 7_919 + attempt * 104_729) % 97];
      appendFileSync(ledgerIn(folder), `${JSON.stringify({ jobId, itemId: item.id, key } satisfies Asked)}\n`);
      // Slow ones are at work when their worker dies; the signal is not looked at, as providers do not.
      if (dice < 25) await pause(dice * 8);
      if (attempt === 1 && dice % 7 === 0) return retry('transient', 'The provider fails.');
      if (attempt === 1 && dice % 11 === 0) return retry('rate_limited', 'Busy.', { afterMs: 100 });
      if (attempt === 1 && dice % 13 === 0) throw new Error('the provider broke the connection');
      const fate = fateOf(row);
      if (fate === 'NOT_FOUND') return notFound({ isFinal: true });
      if (fate === 'ERROR') return refused('endpoint_refused', 'No.');
      if (fate === 'SKIPPED') return skipped('Left out.');
      return found({ key, attempt });
    },
  });
}

const BIG_BYTES = 1_000_000;
/** Answers with as much as may be stored of one item, at once. */
export const big = defineProcessor<Record<string, never>>({
  name: 'big',
  version: 1,
  title: 'Says much',
  options: none as never,
  output: z.object({ text: z.string() }),
  columns: [{ name: 'text', title: 'Text', type: 'text' }],
  strategies: ['none'],
  process: async () => found({ text: 'x'.repeat(BIG_BYTES) }),
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

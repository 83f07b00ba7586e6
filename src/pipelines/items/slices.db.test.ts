// Slices under trouble: processors that fail, hang or answer nonsense, retries, pauses, kick-offs, several workers, and answers that come too late.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { useItems } from '../../../test/support/items.ts';
import { gate } from '../../../test/support/shared-run.ts';
import { waitFor } from '../../../test/support/wait-for.ts';
import { withTenant } from '../../platform/database.ts';
import {
  defineProcessor,
  found,
  notFound,
  type Outcome,
  type ProcessContext,
  type ProcessedItem,
  refused,
  retry,
  skipped,
} from './processors/processor.ts';

type Behave = (item: ProcessedItem, context: ProcessContext<{ way: string }>) => Promise<Outcome> | Outcome;

const ways = new Map<string, Behave>();
const calls: { way: string; word: string; strategy: string; attempt: number; key: string }[] = [];

const scripted = defineProcessor<{ way: string }>({
  name: 'scripted',
  version: 1,
  title: 'As the test says',
  options: z.strictObject({ way: z.string() }),
  output: z.object({ word: z.string() }),
  columns: [{ name: 'word', title: 'Word', type: 'text' }],
  strategies: ['plain', 'loose', 'desperate'],
  // A host of its own each, so that one test does not slow another down.
  limits: { key: ({ way }) => way },
  async process(item, context) {
    const { way } = context.options;
    calls.push({
      way,
      word: item.cells.word ?? '',
      strategy: context.strategy,
      attempt: context.attempt,
      key: context.idempotencyKey,
    });
    return (ways.get(way) as Behave)(item, context);
  },
});

const bench = useItems({
  processors: [scripted],
  workers: 2,
  settings: {
    itemSharedFrom: 30,
    itemPartsPerJob: 3,
    // For those that hang; the others answer at once, on a slow machine too.
    itemTimeoutMs: 3_000,
    workerTargetSliceMs: 200,
    claimMax: 10,
    itemConcurrency: 4,
    lockFloorMs: 1_000,
  },
});

let number = 0;
/** A job whose items are processed so. */
async function submit(words: readonly string[], behave: Behave): Promise<string> {
  number += 1;
  const way = `way ${number}`;
  ways.set(way, behave);
  return bench.submit(['word,number', ...words.map((word, index) => `${word},${index}`)], {
    processor: 'scripted',
    options: JSON.stringify({ way }),
  });
}
const words = (count: number, word = 'w') => Array.from({ length: count }, () => word);
const says: Behave = (item) => found({ word: item.cells.word ?? '' });

describe('a processor', () => {
  it('that throws, hangs, answers nonsense or refuses harms its own item only', async () => {
    const job = await submit(
      ['fine', 'nonsense', 'shape', 'refused', 'skipped', 'throws'],
      async (item, { attempt }) => {
        switch (item.cells.word) {
          case 'nonsense':
            return 'yes' as unknown as Outcome;
          case 'shape':
            return found({ other: 1 });
          case 'refused':
            return refused('gtin_invalid', 'No.');
          case 'skipped':
            return skipped('Left out.');
          case 'throws':
            if (attempt === 1) throw new Error('broken');
            return found({ word: 'in the end' });
          default:
            return says(item, undefined as never);
        }
      },
    );
    expect(await bench.ended(job)).toMatchObject({
      queue_state: 'DONE',
      done_items: 2,
      error_items: 3,
      skipped_items: 1,
    });
    const items = await bench.items(job);
    expect(items.map(({ error_code: code }) => code)).toEqual([
      null,
      'processor_answer_invalid',
      'processor_answer_invalid',
      'gtin_invalid',
      'item_skipped',
      null,
    ]);
    const detail = (await bench.call('jobs.item', job, { params: { item_id: items[5].id } })).body;
    expect(detail.record).toMatchObject([
      { outcome: 'FOUND' },
      { outcome: 'RETRY', error_code: 'processor_failed', is_final: false },
    ]);
  });

  it('that hangs is given up when its time is over, and the item is tried again later', async () => {
    const job = await submit(['hangs', 'fine'], (item) =>
      item.cells.word === 'hangs' ? new Promise<Outcome>(() => undefined) : says(item, undefined as never),
    );
    const item = await waitFor(
      async () => (await bench.items(job)).find(({ error_code: code }) => code === 'item_timeout'),
      {
        what: 'the item to be given up',
      },
    );
    expect(item).toMatchObject({ status: 'PENDING', attempts: 1 });
    const shown = await waitFor(async () => {
      const now = await bench.job(job);
      return now.queue_state === 'QUEUED' ? now : undefined;
    });
    expect(shown.why).toMatch(/the earliest retry of an item/);
    expect(shown.next_attempt_at).not.toBeNull();
    await bench.engine.cancel({ tenantId: bench.admin.tenantId, by: 'tester' }, shown.run_id);
    expect((await bench.job(job)).queue_state).toBe('FAILED');
  });
});

it('an item that is not found is looked for again after 1 h, 6 h and 24 h, each time with the next strategy', async () => {
  const job = await submit(['gone'], () => notFound());
  const after: number[] = [];
  for (let look = 1; look <= 2; look += 1) {
    const item = await waitFor(
      async () => {
        const [now] = await bench.items(job);
        return now.status === 'PENDING' && now.attempts === look ? now : undefined;
      },
      { what: `look ${look}` },
    );
    after.push(Math.round((Date.parse(item.next_attempt_at) - Date.parse(item.updated_at)) / 3_600_000));
    await waitFor(async () => (await bench.job(job)).queue_state === 'QUEUED', { what: 'the job to wait' });
    await bench.db.admin.query(`update job_items set next_attempt_at = engine.now() where job_id = $1`, [job]);
    await bench.call('jobs.resume', job);
  }
  expect(await bench.ended(job)).toMatchObject({ queue_state: 'DONE', not_found_items: 1 });
  expect(after).toEqual([1, 6]);
  const mine = calls.filter(({ word }) => word === 'gone');
  expect(mine.map(({ strategy, attempt }) => [strategy, attempt])).toEqual([
    ['plain', 1],
    ['loose', 2],
    ['desperate', 3],
  ]);
  expect(new Set(mine.map(({ key }) => key)).size).toBe(3);
});

describe('a large job', () => {
  it('fails when every item is an error, and waits when items are to be retried', async () => {
    const failed = await submit(words(40), () => refused('gtin_invalid', 'No.'));
    expect(await bench.ended(failed)).toMatchObject({ queue_state: 'FAILED', error_items: 40 });
    const waiting = await submit(words(40), () => retry('rate_limited', 'Busy.', { afterMs: 3_600_000 }));
    const shown = await waitFor(
      async () => {
        const now = await bench.job(waiting);
        return now.queue_state === 'QUEUED' &&
          now.status === 'sharing' &&
          now.next_attempt_at !== null &&
          now.why !== null
          ? now
          : undefined;
      },
      { what: 'the job to wait' },
    );
    expect(shown.pending_items).toBe(40);
    await bench.engine.cancel({ tenantId: bench.admin.tenantId, by: 'tester' }, shown.run_id);
    expect((await bench.job(waiting)).queue_state).toBe('FAILED');
  });
});

it('a result of an attempt whose lock was taken over changes nothing, however late it comes', async () => {
  const late = gate();
  const job = await submit(['late'], async (item, { attempt }) => {
    if (attempt === 1) await late.opened;
    return found({ word: `${item.cells.word} ${attempt}` });
  });
  // The first attempt is given up when its time is over; its own answer comes long after the second one's.
  await waitFor(async () => (await bench.items(job))[0]?.error_code === 'item_timeout', {
    what: 'the first attempt to be given up',
  });
  await bench.db.admin.query(`update job_items set next_attempt_at = engine.now() where job_id = $1`, [job]);
  await bench.call('jobs.resume', job).catch(() => undefined);
  expect(await bench.ended(job)).toMatchObject({ done_items: 1 });
  late.open();
  expect((await bench.items(job))[0].result).toEqual({ word: 'late 2' });
});

it('the database refuses a result whose claim is no longer the latest', async () => {
  const job = await submit(['fenced'], says);
  await bench.ended(job);
  const { writeResults } = await import('./sql/write-results.ts');
  const [item] = await bench.items(job);
  await bench.db.admin.query(
    `update job_items set status = 'PROCESSING', claims = 7, locked_by = 'me', locked_at = engine.now(), lock_expires_at = engine.now() where id = $1`,
    [item.id],
  );
  const target = { jobId: job, tenantId: bench.admin.tenantId, runId: job, worker: 'me', userId: null };
  const result = {
    id: item.id,
    row: 0,
    attempt: 1,
    status: 'DONE' as const,
    outcome: 'FOUND' as const,
    result: { word: 'zombie' },
    strategy: 'plain',
    code: null,
    detail: null,
    answer: null,
    delay_ms: null,
    errors: 0,
    not_founds: 0,
    refusals: 0,
    ms: 1,
  };
  const write = (claim: number, worker = 'me') =>
    withTenant(bench.db.app, { tenantId: bench.admin.tenantId, role: 'items_worker' }, (tx) =>
      writeResults(tx, { ...target, worker }, [{ ...result, claim }]),
    );
  expect(await write(6)).toBe(0);
  expect(await write(7, 'somebody else')).toBe(0);
  expect(await write(7)).toBe(1);
});

it('a job that ended while it was looked at is shown with its last counters', async () => {
  const job = await submit(['seen'], says);
  await bench.ended(job);
  const { viewJob } = await import('./http/job-view.ts');
  const { selectJob } = await import('./sql/jobs.ts');
  const { tenantId } = bench.admin;
  const shown = await withTenant(bench.db.app, { tenantId, role: 'millrace_app' }, async (tx) => {
    const row = await selectJob(tx, tenantId, job);
    if (row === undefined) throw new Error('no job');
    return viewJob(bench.engine, tx, { ...row, done_items: 0 });
  });
  expect(shown).toMatchObject({ queue_state: 'DONE', done_items: 1 });
});

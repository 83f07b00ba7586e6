// Processors of modules, each in a process of its own: what they do to that process is the trouble of their job alone.
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { useItems } from '../../../test/support/items.ts';
import { waitFor } from '../../../test/support/wait-for.ts';
import { createSecretBox } from '../../platform/secret-box.ts';
import { ImageReader } from './images/image-process.ts';
import { openProcessors } from './processors/registry.ts';

const module = path.resolve(import.meta.dirname, '../../../test/support/own-processors.ts');
const http = { box: createSecretBox(Buffer.alloc(32, 7)), allowPrivate: true };
const images = new ImageReader({ maxMemoryMb: 700, timeoutMs: 600_000 });
const loaded = await openProcessors(module, http, images, { maxMemoryMb: 300 });
const own = [
  'quitting-among',
  'spinning-among',
  'waiting-among',
  'leaking',
  'hogging',
  'hoarding',
  'spinning',
  'quitting',
  'honest',
];
const ownProcessors = [...loaded.values()].filter(({ name }) => own.includes(name));
const submitTo = (bench: ReturnType<typeof useItems>, processor: string, words: readonly string[]) =>
  bench.submit(['word', ...words], { processor });

async function expectFailed(bench: ReturnType<typeof useItems>, job: string, why: RegExp): Promise<void> {
  expect(await bench.ended(job)).toMatchObject({ queue_state: 'FAILED', total_items: 2, error_items: 2 });
  const items = await bench.items(job);
  expect(items.map(({ attempts, status }) => [attempts, status])).toEqual([
    [2, 'ERROR'],
    [2, 'ERROR'],
  ]);
  for (const { last_error: error } of items) expect(error).toMatch(why);
}

describe('an own processor', () => {
  const bench = useItems({ processors: ownProcessors, settings: { maxAttemptsError: 2 } });
  const submit = (processor: string, words: readonly string[]) => submitTo(bench, processor, words);

  it.each([
    ['leaking', /took more than 300 MB of memory/],
    ['hogging', /took more than 300 MB of memory/],
    ['quitting', /its process ended \(exit code 3\)/],
  ])(
    'that is %s ends its own rows with an error that says so, while other jobs go on in the same worker',
    async (processor, why) => {
      const troubled = await submit(processor, ['a', 'b']);
      const others = [await submit('honest', ['x', 'y']), await submit('honest', ['z'])];
      for (const other of others)
        expect(await bench.ended(other)).toMatchObject({ queue_state: 'DONE', error_items: 0 });
      await expectFailed(bench, troubled, why);
    },
  );

  it('that leaks a little with each row gets all rows done, by one process after the other', async () => {
    const words = Array.from({ length: 12 }, (_, index) => `w${index}`);
    const job = await bench.ended(await submit('hoarding', words));
    expect(job).toMatchObject({ queue_state: 'DONE', done_items: 12 });
    // 40 MB a row: no process could have held them all, and no row is blamed for those before it.
    expect((await bench.items(job.jobId)).map(({ attempts }) => attempts)).toEqual(words.map(() => 1));
  });

  it('reads under its tenant, reads the file of its job, and tells of its requests', async () => {
    const job = await bench.ended(await submit('honest', ['hello']));
    const [item] = await bench.items(job.jobId);
    expect(item).toMatchObject({ status: 'DONE', result: { said: 'hello only 1 10' } });
    const { rows } = await bench.db.admin.query('select provider, outcome from search_events where job_id = $1', [
      job.jobId,
    ]);
    expect(rows).toEqual([{ provider: 'nobody', outcome: 'asked' }]);
  });
});

describe('an own processor that never gives the event loop back', () => {
  const bench = useItems({ processors: ownProcessors, settings: { maxAttemptsError: 2, itemTimeoutMs: 1_000 } });

  it('is ended with its process when the time of its rows is over, and the worker goes on', async () => {
    const troubled = await submitTo(bench, 'spinning', ['a', 'b']);
    const other = await bench.submit(['SKU,Title', 'KET-1700,Kettle'], { catalog: 'sample' });
    expect(await bench.ended(other)).toMatchObject({ queue_state: 'DONE' });
    await expectFailed(bench, troubled, /did not answer within 1000 ms|did not stop when its time was over/);
    // Nothing of it is left: a loop without end would take a processor for ever.
    await waitFor(async () => (spinning() === 0 ? true : undefined), { what: 'its processes to be gone' });
  });
});

describe('rows in the process of an own processor', () => {
  const patient = useItems({ processors: ownProcessors, settings: { maxAttemptsError: 2 } });
  // Far above what an answer takes, also on a slow machine.
  const hasty = useItems({ processors: ownProcessors, settings: { maxAttemptsError: 2, itemTimeoutMs: 4_000 } });

  it.each([
    ['quitting-among', patient, /its process ended \(exit code 3\)/],
    ['spinning-among', hasty, /did not answer within 4000 ms/],
    ['waiting-among', hasty, /did not answer within 4000 ms/],
  ] as const)('lose no attempt to a neighbour that is %s', async (processor, bench, why) => {
    const job = await bench.ended(await submitTo(bench, processor, ['culprit', 'a', 'b', 'c']));
    expect(job).toMatchObject({ queue_state: 'DONE', done_items: 3, error_items: 1 });
    const items = await bench.items(job.jobId);
    expect(items.map(({ attempts, status }) => [status, attempts])).toEqual([
      ['ERROR', 2],
      ['DONE', 1],
      ['DONE', 1],
      ['DONE', 1],
    ]);
    expect(items[0].last_error).toMatch(why);
  });
});

function spinning(): number {
  const children = execFileSync('ps', ['-o', 'args=', '--ppid', String(process.pid)], { encoding: 'utf8' });
  return children.split('\n').filter((line) => line.includes('own-child')).length;
}

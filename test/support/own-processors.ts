// Processors of somebody's own, as ITEM_PROCESSOR_MODULES loads them: one that does everything it may, and some that misbehave.
import { z } from 'zod';
import {
  defineProcessor,
  found,
  type Outcome,
  type Processor,
} from '../../src/pipelines/items/processors/processor.ts';

const hoard: unknown[] = [];
const MEGABYTE = 1024 ** 2;

function own(name: string, process: Processor['process'], concurrency = 1): Processor {
  return defineProcessor({
    name,
    version: 1,
    title: name,
    options: z.object({}),
    output: z.object({ said: z.string() }),
    columns: [{ name: 'said', title: 'Said', type: 'text' }],
    strategies: ['only'],
    limits: { concurrency },
    process,
  });
}

const breathe = () => new Promise((resolve) => setTimeout(resolve, 1));

/** Without end, in small steps, as a leak in a loop does. */
async function leak(): Promise<Outcome> {
  for (;;) {
    hoard.push(Array.from({ length: 100_000 }, (_, index) => ({ index })));
    await breathe();
  }
}

let isCulpritHere = false;
let neighbours = 0;

/** Keeps the event loop as a loop without end does, and leaves the processor to others. */
function stand(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

/** A row `culprit` that takes its process with it once its three neighbours are in it; they answer as soon as they are without it. */
function among(doIt: () => void): Processor['process'] {
  return async ({ cells }) => {
    if (cells.word !== 'culprit') {
      neighbours += 1;
      while (isCulpritHere) await breathe();
      return found({ said: `${cells.word}` });
    }
    isCulpritHere = true;
    // Alone it has none, and does not wait for them for ever.
    for (const until = Date.now() + 2_000; neighbours < 3 && Date.now() < until; ) await breathe();
    doIt();
    return found({ said: 'never' });
  };
}

export default [
  own(
    'quitting-among',
    among(() => process.exit(3)),
    4,
  ),
  own('spinning-among', among(stand), 4),
  // Waits for what never comes, as for a provider that does not answer; the event loop is free.
  own(
    'waiting-among',
    ({ cells }) => (cells.word === 'culprit' ? new Promise(() => undefined) : Promise.resolve(found({ said: 'x' }))),
    4,
  ),
  own('leaking', leak),
  // Outside of the heap, which has a limit of its own.
  own('hogging', async () => {
    for (let n = 0; n < 12; n += 1) hoard.push(Buffer.alloc(40 * MEGABYTE, 1));
    await new Promise((go) => setTimeout(go, 60_000));
    return found({ said: 'nobody looked' });
  }),
  own('hoarding', async ({ cells }) => {
    hoard.push(Buffer.alloc(40 * MEGABYTE, 1));
    return found({ said: `${cells.word}` });
  }),
  own('spinning', async () => {
    for (;;);
  }),
  own('quitting', async () => process.exit(3)),
  own('honest', async ({ cells }, { read, file, tell, jobId, strategy }) => {
    const tenant = await read(async (db) => {
      const { rows } = await db.query<{ jobs: number }>(
        'select count(*)::int as jobs from item_jobs where job_id = $1',
        [jobId],
      );
      return rows[0]?.jobs;
    });
    let bytes = 0;
    for await (const chunk of (await file())?.source.open(0) ?? []) bytes += chunk.byteLength;
    tell({ provider: 'nobody', ms: 1, outcome: 'asked' });
    return found({ said: `${cells.word} ${strategy} ${tenant} ${bytes}` });
  }),
];

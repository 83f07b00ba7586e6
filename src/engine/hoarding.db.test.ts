// A worker claims no more than it can begin soon, whatever it saw before, and gives back what it cannot begin after all.
import { afterEach, expect, it } from 'vitest';
import { useDatabase } from '../../test/support/database.ts';
import { buildEngine, buildPipeline, newTenant } from '../../test/support/engine.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { uuidv7 } from '../platform/ids.ts';
import { Claimer } from './claimer.ts';
import { registerWorker } from './sql/workers.ts';

const database = useDatabase();
const SLOTS = 4;
const settings = { concurrency: SLOTS, pollMs: 50, leaseMs: 60_000, heartbeatMs: 10_000 };
const engines: Awaited<ReturnType<typeof buildEngine>>[] = [];
let open: () => void;
let gate: Promise<void>;
let isClosed = true;

const quick = buildPipeline('quick', async () => 'complete');
const slow = buildPipeline('slow', async () => {
  await gate;
  return 'complete';
});
/** Short until the gate is closed. */
const fickle = buildPipeline('fickle', async () => {
  if (isClosed) await gate;
  return 'complete';
});

const read: unknown[] = [];
const reader = buildPipeline('reader', async ({ input }) => {
  read.push(input);
  return 'complete';
});

async function worker() {
  const engine = await buildEngine(database.appUrl, [quick, slow, fickle, reader], { settings });
  engines.push(engine);
  return engine;
}

function close(): void {
  isClosed = true;
  gate = new Promise((resolve) => {
    open = resolve;
  });
}

afterEach(async () => {
  open();
  await Promise.all(engines.splice(0).map((engine) => engine.close()));
  await database.admin.query('truncate engine.runs, engine.ready, engine.leases, engine.workers, engine.attempts');
});

const many = (pipeline: string, count: number) =>
  Array.from({ length: count }, () => ({ pipeline, tenantId: newTenant(), input: {} }));

async function leases(): Promise<number[]> {
  const { rows } = await database.admin.query<{ n: number }>(
    'select count(*)::int as n from engine.leases group by worker_id order by worker_id',
  );
  return rows.map(({ n }) => n);
}

const emptied = () =>
  waitFor(
    async () => {
      const { rows } = await database.admin.query<{ busy: boolean }>(
        'select exists (select from engine.ready) or exists (select from engine.leases) as busy',
      );
      return rows[0]?.busy === false || undefined;
    },
    { what: 'the queue to be empty' },
  );

it('a worker that has seen nothing but short runs takes as many long ones as it has slots, and leaves the others to others', async () => {
  close();
  const one = await worker();
  await one.start();
  await one.enqueueMany(many('quick', 1_000));
  await emptied();
  const two = await worker();
  await one.enqueueMany(many('slow', 5 * SLOTS));
  await waitFor(async () => (await leases())[0] === SLOTS || undefined, { what: 'the slots of one to be taken' });
  await two.start();
  await waitFor(async () => (await leases()).length === 2 || undefined, { what: 'the other worker to have its share' });
  await waitFor(async () => (await leases())[1] === SLOTS || undefined, { what: 'its slots to be taken' });
  expect(await leases()).toEqual([SLOTS, SLOTS]);
  open();
  await emptied();
});

/** Runs are short, then hang while more of them are held than there are slots. A machine that stalls in between makes it start over. */
async function claimAheadAndHang(engine: Awaited<ReturnType<typeof worker>>): Promise<number> {
  for (let seen = 1_000; ; seen += 1_200) {
    isClosed = false;
    await engine.enqueueMany(many('fickle', 1_000));
    await emptied();
    close();
    await engine.enqueueMany(many('fickle', 200));
    await waitFor(async () => ((await leases())[0] ?? 0) >= SLOTS || undefined, { what: 'the slots to be taken' });
    if (((await leases())[0] ?? 0) > SLOTS) return seen + 200;
    open();
    await emptied();
  }
}

it('runs that were claimed ahead and cannot begin go back, and another worker ends them without a loss to their name', async () => {
  close();
  isClosed = false;
  const one = await worker();
  await one.start();
  const seen = await claimAheadAndHang(one);
  await waitFor(async () => (await leases())[0] === SLOTS || undefined, {
    what: 'those that cannot begin to be given back',
  });
  isClosed = false;
  const two = await worker();
  await two.start();
  await waitFor(
    async () => {
      const { rows } = await database.admin.query<{ n: number }>(
        `select count(*)::int as n from engine.runs where phase <> 'done'`,
      );
      return rows[0]?.n === SLOTS || undefined;
    },
    { what: 'the other worker to end all but those that have begun' },
  );
  open();
  await emptied();
  const { rows } = await database.admin.query(
    `select count(*)::int as ended, count(*) filter (where failures <> '{}')::int as charged from engine.runs where phase = 'done'`,
  );
  expect(rows).toEqual([{ ended: seen, charged: 0 }]);
});

it('a claim leaves large inputs behind, and each run has its own when it begins', async () => {
  close();
  const one = await worker();
  const words = (at: number) => Array.from({ length: 4_000 }, (_, word) => `${at} ${word * 7_919}`);
  // The server stores the last two in less than 2,000 bytes: unpacked, one of them is short and the other one long.
  const inputs = [
    { at: 0 },
    { at: 1, words: words(1) },
    { at: 2, words: words(2) },
    { at: 3, words: 'x'.repeat(9_000) },
    { at: 4, words: 'x'.repeat(150_000) },
  ];
  for (const input of inputs) await one.enqueue({ pipeline: 'reader', tenantId: newTenant(), input });
  const workerId = uuidv7();
  const described = { workerId, name: 'w', pid: 1, host: 'h', version: 'v', pipelines: ['reader'], concurrency: 1 };
  await registerWorker(one.pools.control, described, 1);
  await database.admin.query(`update engine.workers set expires_at = engine.now() + interval '1 minute'`);
  const claimed = await new Claimer(one.pools.control, one.registry).claim(workerId, 10);
  const taken = claimed.map(({ input }) => (input as { at: number } | null)?.at);
  expect(taken.sort()).toEqual([0, 3, undefined, undefined, undefined]);
  // Nobody works under that name: the runs go to a worker that does.
  await database.admin.query(`update engine.workers set expires_at = engine.now() - interval '1 minute'`);
  await one.start();
  await waitFor(async () => read.length === inputs.length || undefined, { what: 'all of them to be read' });
  expect(read).toEqual(expect.arrayContaining(inputs));
});

// A worker that is frozen in the middle of a sync and comes back when another has gone on: what it still does is fenced off.
import { expect, it, onTestFinished } from 'vitest';
import { prose } from '../../../test/support/documents.ts';
import { useSources } from '../../../test/support/use-sources.ts';
import type { Intake } from '../../sources/intake.ts';
import { houseOf } from './sources-deps.ts';

const bench = useSources();
const text = (seed: number) => prose(seed).join('\n\n');

/** The next time that an intake does this, it waits until it is let go. */
function freezeNext(pipeline: string, what: 'accept' | 'withdraw') {
  const house = houseOf(bench.deps);
  const intake = house.intakes.get(pipeline) as Intake;
  let letGo: () => void = () => undefined;
  let isFrozen = false;
  const frozen = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  let reached: () => void = () => undefined;
  const isReached = new Promise<void>((resolve) => {
    reached = resolve;
  });
  let end: Promise<unknown> = Promise.resolve();
  const late = async (given: never): Promise<never> => {
    const act = () => intake[what]?.(given) as Promise<never>;
    if (isFrozen) return act();
    isFrozen = true;
    const done = frozen.then(act);
    end = done.then(
      () => 'done',
      (error: { code?: string }) => error.code,
    );
    reached();
    return done;
  };
  const put = (each: Intake) =>
    Object.assign(bench.deps, { house: { ...house, intakes: new Map([...house.intakes, [pipeline, each]]) } });
  put({ ...intake, [what]: late });
  onTestFinished(() => {
    letGo();
    put(intake);
  });
  return {
    isReached,
    /** Lets it go on; how that ended. */
    async thaw() {
      letGo();
      return end;
    },
  };
}

/** As if its worker had not been heard of for too long: another attempt goes on. */
const takeOver = (syncId: string) =>
  bench.db.admin.query('update engine.leases set worker_id = gen_random_uuid() where run_id = $1', [syncId]);

async function startSync(source: string): Promise<string> {
  const params = { source_id: source };
  return (await bench.api.call('sources.sync', { as: bench.admin, params })).json().run_id;
}

const runsOf = async (source: string) =>
  (
    await bench.db.admin.query<{ status: string; sha: string }>(
      `select r.status, encode(b.sha256, 'hex') as sha from engine.runs r join engine.blobs b using (blob_id)
       where r.source_id = $1 and r.pipeline <> 'sources' order by r.id`,
      [source],
    )
  ).rows;

const batch = (amount: number) =>
  `Case Number,Plaintiff,Judgment Amount,Filing Date,County\nA-1,Ann,${amount},2024-01-01,Kings\n`;

it.each([
  ['documents', 'txt', {}, text],
  ['judgments', 'csv', { supersede: 'true' }, batch],
])(
  'an older content of %s is not taken in behind the newer one that the next attempt has seen',
  async (pipeline, ending, fields, content) => {
    const key = `frozen-${pipeline}/a.${ending}`;
    await bench.put(key, content(1));
    const source = await bench.connect(bench.wish(`frozen-${pipeline}`, { pipeline, fields }));
    const frozen = freezeNext(pipeline, 'accept');
    const sync = await startSync(source);
    await frozen.isReached;
    await bench.put(key, content(2));
    await takeOver(sync);
    expect(await bench.ended(sync)).toMatchObject({ status: 'synced', receipt: { read: 1, outcomes: { new: 1 } } });
    await bench.quiet(source);
    const before = await runsOf(source);
    expect(before).toHaveLength(1);

    expect(await frozen.thaw()).toBe('lease_lost');
    expect(await runsOf(source)).toEqual(before);
    expect(await bench.sync(source)).toMatchObject({ receipt: { outcomes: { unchanged: 1 } } });
  },
);

it('an object that has come back is not taken away by an attempt that saw it vanish', async () => {
  for (const n of [1, 2, 3, 4, 5, 6]) await bench.put(`back/doc${n}.txt`, text(10 + n));
  const source = await bench.connect(bench.wish('back'));
  await bench.sync(source);
  await bench.remove('back/doc1.txt');
  const frozen = freezeNext('documents', 'withdraw');
  const sync = await startSync(source);
  await frozen.isReached;
  await takeOver(sync);
  expect(await bench.ended(sync)).toMatchObject({ status: 'synced', receipt: { read: 5, vanished: 1 } });
  await bench.put('back/doc1.txt', text(11));
  expect(await bench.sync(source)).toMatchObject({ receipt: { outcomes: { new: 1, unchanged: 5 } } });

  expect(await frozen.thaw()).toBe('lease_lost');
  expect(await bench.served()).toContain(`s3://${bench.bucket.bucket}/back/doc1.txt`);
});

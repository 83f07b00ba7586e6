// One object that never arrives, or whose sync ends while it is on its way, holds up nothing and brings nothing late.
import { expect, it, onTestFinished } from 'vitest';
import { prose } from '../../../test/support/documents.ts';
import { useSources } from '../../../test/support/use-sources.ts';

const bench = useSources();
const text = (seed: number) => prose(seed).join('\n\n');

it('an object that does not arrive in its time is refused and tried again by the next sync; the others are taken', async () => {
  for (const n of [1, 2, 3]) await bench.put(`drip/doc${n}.txt`, text(n));
  const source = await bench.connect(bench.wish('drip'));
  const { settings } = bench.deps;
  let asked = 0;
  // Asked for each object, in the order of the listing: the second one alone has a moment.
  const hurried = {
    ...settings,
    get sourceReadTimeoutMinutes() {
      asked += 1;
      return asked === 2 ? 1 / 60 : settings.sourceReadTimeoutMinutes;
    },
  };
  Object.assign(bench.deps, { settings: hurried });
  onTestFinished(() => void Object.assign(bench.deps, { settings }));
  bench.bucket.fail({ method: 'GET', url: /drip\/doc2/, times: 1, act: 'stall' });
  onTestFinished(() => bench.bucket.heal());
  expect(await bench.sync(source)).toMatchObject({
    status: 'partial',
    receipt: { read: 3, outcomes: { new: 2, refused: 1 } },
  });
  expect(await bench.objects(source)).toEqual({ 'doc1.txt': 'live', 'doc2.txt': 'failed', 'doc3.txt': 'live' });
  expect(await bench.sync(source)).toMatchObject({
    status: 'synced',
    receipt: { read: 3, outcomes: { new: 1, unchanged: 2 } },
  });
});

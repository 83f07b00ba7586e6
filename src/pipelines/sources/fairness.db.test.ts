// Many objects of one tenant beside few of another.
import { expect, it } from 'vitest';
import { buildTenant, buildUser, type TestUser } from '../../../test/support/api.ts';
import { useSources } from '../../../test/support/use-sources.ts';
import { waitFor } from '../../../test/support/wait-for.ts';

const bench = useSources();
const MANY = 40;
const rows = (n: number) => `SKU,Title\nA-${n},Kettle ${n}\n`;

it('what one tenant brought by the dozen lets the one object of another be worked on among the first', async () => {
  for (let n = 0; n < MANY; n += 1) await bench.put(`crowd/${n}.csv`, rows(n));
  await bench.put('single/only.csv', rows(MANY));
  const { admin } = bench;
  const other = await buildUser(bench.db, await buildTenant(bench.db), 'admin');
  const connect = async (as: TestUser, name: string): Promise<string> => {
    const wish = bench.wish(name, { pipeline: 'items', fields: { catalog: 'sample' } });
    return (await bench.api.call('sources.create', { as, body: wish })).json().source_id;
  };
  const control = (as: TestUser, operation: 'pipelines.pause' | 'pipelines.resume') =>
    bench.api.call(operation, { as, params: { pipeline: 'items' }, body: {} });
  const sync = (as: TestUser, sourceId: string) =>
    bench.api.call('sources.sync', { as, params: { source_id: sourceId } });
  const [crowd, single] = [await connect(admin, 'crowd'), await connect(other, 'single')];
  const runsOf = async (sourceId: string) => {
    const { rows: runs } = await bench.db.admin.query<{ started_at: Date | null; phase: string }>(
      `select started_at, phase from engine.runs where source_id = $1 and pipeline = 'items'`,
      [sourceId],
    );
    return runs;
  };
  const brought = (sourceId: string, count: number) =>
    waitFor(async () => ((await runsOf(sourceId)).length === count ? true : undefined), { what: `${count} runs` });

  // Nothing is worked on until both have brought everything, the many first; the many are let go first, too.
  for (const as of [admin, other]) await control(as, 'pipelines.pause');
  await sync(admin, crowd);
  await brought(crowd, MANY);
  await sync(other, single);
  await brought(single, 1);
  for (const as of [admin, other]) await control(as, 'pipelines.resume');
  for (const source of [crowd, single]) await bench.quiet(source);

  const [only] = await runsOf(single);
  const startedAt = only?.started_at?.getTime() ?? Number.POSITIVE_INFINITY;
  const behind = (await runsOf(crowd)).filter(({ started_at: at }) => (at?.getTime() ?? 0) > startedAt);
  expect(only?.phase).toBe('done');
  expect(behind.length).toBeGreaterThan(MANY / 2);
});

// What was refused for the time being is taken by a later sync, although the object has not changed.
import { expect, it } from 'vitest';
import { useSources } from '../../../test/support/use-sources.ts';

const bench = useSources();
const batch = (amount: number) =>
  `Case Number,Plaintiff,Judgment Amount,Filing Date,County\nA-1,Ann,${amount},2024-01-01,Kings\n`;

it('a changed batch of judgments whose former content is still being imported is taken by the next sync after its end', async () => {
  await bench.put('hasty/jan.csv', batch(10));
  const source = await bench.connect(bench.wish('hasty', { pipeline: 'judgments', fields: { supersede: 'true' } }));
  const control = (operation: 'pipelines.pause' | 'pipelines.resume') =>
    bench.api.call(operation, { as: bench.admin, params: { pipeline: 'judgments' }, body: {} });
  const synced = async () => {
    const started = await bench.api.call('sources.sync', { as: bench.admin, params: { source_id: source } });
    return bench.ended(started.json().run_id);
  };
  await control('pipelines.pause');
  expect(await synced()).toMatchObject({ receipt: { outcomes: { new: 1 } } });
  await bench.put('hasty/jan.csv', batch(11));
  for (const _ of [1, 2]) expect(await synced()).toMatchObject({ receipt: { outcomes: { refused: 1, changed: 0 } } });
  const { data } = (await bench.api.call('sources.objects', { as: bench.admin, params: { source_id: source } })).json();
  expect(data).toMatchObject([{ status: 'failed', error_code: 'batch_still_running' }]);
  await control('pipelines.resume');
  await bench.quiet(source);
  expect(await bench.sync(source)).toMatchObject({ status: 'synced', receipt: { outcomes: { changed: 1 } } });
  const { rows } = await bench.db.admin.query<{ amount: number }>(
    `select judgment_amount::float8 as amount from judgments where tenant_id = $1`,
    [bench.admin.tenantId],
  );
  expect(rows).toEqual([{ amount: 11 }]);
});

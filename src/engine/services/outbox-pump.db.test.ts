// Positions of the events of one run follow the order in which they happened, whatever the heap does and however many pump.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { useDatabase } from '../../../test/support/database.ts';
import { buildEngine, buildPipeline, newTenant } from '../../../test/support/engine.ts';
import { readFeed } from '../sql/event-feed.ts';
import { pumpEvents } from './outbox-pump.ts';

const database = useDatabase();
let engine: Awaited<ReturnType<typeof buildEngine>>;

beforeEach(async () => {
  engine = await buildEngine(database.appUrl, [buildPipeline('plain', async () => 'complete')], { controlSize: 10 });
});
afterEach(() => engine.close());

const event = (runId: string, key: string) => ({
  ...{ tenantId: newTenant(), runId, type: 'test.happened' },
  ...{ key, data: '{}' },
});
const others = (count: number) => Array.from({ length: count }, () => event(newTenant(), ''));

it('a later event of a run never gets the earlier position, with an inbox of many batches, freed pages and several pumps', async () => {
  const { control } = engine.pools;
  const run = newTenant();
  const rounds = 4;
  // Each round leaves an event of the run deep in the inbox, and frees the pages before it for what comes next.
  for (let round = 0; round < rounds; round += 1) {
    await engine.emit(others(1_200));
    await engine.emit([event(run, String(2 * round))]);
    await Promise.all([1, 2, 3].map(() => pumpEvents(control, 500)));
    await database.admin.query('vacuum engine.event_inbox');
    await engine.emit([event(run, String(2 * round + 1))]);
  }
  let waiting = 1;
  while (waiting > 0) {
    const taken = await Promise.all([1, 2, 3].map(() => pumpEvents(control, 500)));
    waiting = taken.reduce<number>((sum, count) => sum + (count ?? 0), 0);
  }
  const events = (await readFeed(control, 0, 100_000)).filter((row) => row.run_id === run);
  expect(events.map((row) => row.key)).toEqual(Array.from({ length: 2 * rounds }, (_, index) => String(index)));
  const { rows } = await database.admin.query('select from engine.event_inbox');
  expect(rows).toHaveLength(0);
});

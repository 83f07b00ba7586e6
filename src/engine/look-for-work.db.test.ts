// What an idle worker asks before it rests.
import { expect, it } from 'vitest';
import { useDatabase } from '../../test/support/database.ts';
import { lookForWork, nextPartIn } from './sql/look-for-work.ts';

const database = useDatabase();

it('where no part is open none is due: a worker that heard "now" would never rest', async () => {
  expect(await nextPartIn(database.engine, ['items'])).toBeNull();
  expect(await lookForWork(database.engine, ['items'], ['items'])).toEqual({ ready: false, part_in_ms: null });
});

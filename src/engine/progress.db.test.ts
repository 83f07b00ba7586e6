// What a stage says about how far it is costs the database little, however often it says it.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { useDatabase } from '../../test/support/database.ts';
import { buildEngine, buildPipeline, newTenant } from '../../test/support/engine.ts';
import { waitFor } from '../../test/support/wait-for.ts';

const database = useDatabase();
const SIGNS = 10_000;
const RUNS = 5;
let engine: Awaited<ReturnType<typeof buildEngine>>;

const chatty = buildPipeline('chatty', async ({ progress }) => {
  for (let done = 1; done <= SIGNS; done += 1) {
    progress({ done, total: SIGNS, unit: 'rows' });
    if (done % 500 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return 'complete';
});

beforeAll(async () => {
  await database.admin.query(`
    create unlogged table progress_writes (at timestamptz default clock_timestamp());
    grant insert on progress_writes to public;
    create function note_progress_write() returns trigger language plpgsql as $$
    begin
      insert into public.progress_writes default values;
      return null;
    end $$;
    create trigger note_write after insert or update on engine.progress for each statement execute function note_progress_write()`);
  engine = await buildEngine(database.appUrl, [chatty]);
});
afterAll(() => engine.close());

it('the signs of progress of all stages of a worker are written together, at most once a second, and the last of each is kept', async () => {
  const tenantId = newTenant();
  await engine.enqueueMany(Array.from({ length: RUNS }, () => ({ pipeline: 'chatty', tenantId, input: {} })));
  const startedAt = performance.now();
  await engine.start();
  await waitFor(
    async () => {
      const { rows } = await database.admin.query('select from engine.progress where tenant_id = $1 and done = $2', [
        tenantId,
        SIGNS,
      ]);
      return rows.length === RUNS;
    },
    { what: 'the last sign of each run' },
  );
  const seconds = Math.ceil((performance.now() - startedAt) / 1_000);
  // An upsert fires the triggers of both kinds of statements.
  const { rows } = await database.admin.query<{ writes: number }>(
    `select count(*)::int / 2 as writes from progress_writes`,
  );
  expect(rows[0]?.writes).toBeLessThanOrEqual(seconds + 1);
});

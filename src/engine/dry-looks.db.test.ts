// What a worker does when it has found the queue empty, while its own runs are still at work.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { useDatabase } from '../../test/support/database.ts';
import { buildEngine, buildPipeline, newTenant } from '../../test/support/engine.ts';
import { waitFor } from '../../test/support/wait-for.ts';

const database = useDatabase();
const tenantId = newTenant();
const gates = new Map<string, () => void>();
let looks = 0;
let engine: Awaited<ReturnType<typeof buildEngine>>;

const gated = buildPipeline('gated', async ({ run }) => {
  await new Promise<void>((open) => gates.set(run.id, open));
  gates.delete(run.id);
  return 'complete';
});

beforeAll(async () => {
  // Nobody else wakes it, and it does not wake itself.
  engine = await buildEngine(database.appUrl, [gated], { settings: { concurrency: 12, pollMs: 60_000 } });
  engine.vitals.onClaim(() => {
    looks += 1;
  });
  await engine.start();
});
afterAll(() => engine.close());

const add = (count: number) =>
  engine.enqueueMany(Array.from({ length: count }, () => ({ pipeline: 'gated', tenantId, input: {} })));
const begun = (count: number) =>
  waitFor(async () => gates.size >= count || undefined, { what: `${count} runs to begin` });
const done = (count: number) =>
  waitFor(
    async () => {
      const { rows } = await database.admin.query(`select from engine.runs where phase = 'done'`);
      return rows.length === count || undefined;
    },
    { what: `${count} runs to end` },
  );

/** A look that has been begun is over when another one, that somebody asks for, is. */
async function settled(): Promise<number> {
  const before = looks;
  engine.wake();
  await waitFor(async () => looks > before || undefined, { what: 'a look' });
  return looks;
}

it('its own plain ends do not make it look again; runs that come make it look at once', async () => {
  await add(10);
  await begun(10);
  const before = await settled();
  for (const [number, open] of [...gates.values()].entries()) {
    open();
    await done(number + 1);
  }
  // The wake-up of `settled` may come once more, from the database.
  expect(looks - before).toBeLessThanOrEqual(2);
  await add(1);
  await begun(1);
  for (const open of gates.values()) open();
  await done(11);
});

it('with more runs than slots, each end makes room for the next', async () => {
  await add(30);
  for (let ended = 0; ended < 30; ended += 1) {
    await begun(1);
    for (const open of [...gates.values()].slice(0, 1)) open();
    await done(11 + ended + 1);
  }
  expect(gates.size).toBe(0);
});

// A process that submits runs and may die of it: engine-feeder.js '{"url", "ledger", "count", …}'.
import type { Engine } from '../../src/engine/engine.ts';
import { armFromText } from '../../src/platform/failpoints.ts';
import { uuidv7 } from '../../src/platform/ids.ts';
import { waitAtMost } from '../../src/platform/wait.ts';
import { type FeederOrders, feed, openFeeder } from './feeding.ts';

const ACT_WITHIN_MS = 60_000;

async function main(orders: FeederOrders): Promise<void> {
  if (orders.failpoint !== undefined) armFromText(orders.failpoint);
  if (orders.act === undefined) await feed(orders);
  else await act((await openFeeder(orders)).engine, orders.act, orders.count);
  process.exit(0);
}

/** Cancels runs that are under way, or retries runs that have failed. Ends only by its failpoint, or when all is done. */
async function act(engine: Engine, action: 'cancel' | 'retry', count: number): Promise<void> {
  const actor = { tenantId: uuidv7(), by: 'chaos' };
  const trouble = action === 'retry' ? 'bug' : 'none';
  const input = { parts: 6, amount: 1, trouble, stepMs: action === 'retry' ? 0 : 200 };
  const runs = await engine.enqueueMany(
    Array.from({ length: count }, () => ({ pipeline: 'tally', tenantId: actor.tenantId, input })),
  );
  const wanted = action === 'retry' ? 'failed' : 'active';
  const deadline = Date.now() + ACT_WITHIN_MS;
  for (const { id } of runs) {
    let { phase } = await engine.run(actor.tenantId, id);
    while (phase === 'waiting' || (phase === 'active' && wanted !== 'active')) {
      if (Date.now() > deadline) process.exit(1);
      await waitAtMost(20);
      ({ phase } = await engine.run(actor.tenantId, id));
    }
    if (phase === wanted) await engine[action](actor, id).catch(() => {});
  }
}

await main(JSON.parse(process.argv[2] ?? '{}') as FeederOrders);

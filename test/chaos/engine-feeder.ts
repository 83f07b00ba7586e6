// Hands runs in and keeps the auditor's ledger: engine-feeder.js '{"url", "ledger", "count", …}'. A run is acknowledged in the
// ledger only after the product has answered. When the database is away it asks again with the same id.
import { createEngine } from '../../src/engine/engine.ts';
import { createEnginePools } from '../../src/engine/engine-pools.ts';
import { armFromText } from '../../src/platform/failpoints.ts';
import { uuidv7 } from '../../src/platform/ids.ts';
import { silentLog } from '../../src/platform/log.ts';
import { waitAtMost } from '../../src/platform/wait.ts';
import { append, type Intent } from './ledger.ts';
import { randomFrom } from './random.ts';
import { tallyPipeline } from './tally.ts';

export interface FeederOrders {
  readonly url: string;
  readonly ledger: string;
  readonly count: number;
  readonly seed: number;
  readonly batch?: number;
  readonly everyMs?: number;
  readonly stepMs?: number;
  readonly tenants?: number;
  readonly failpoint?: string;
  readonly laneCap?: number;
  /** Instead of feeding: makes runs that are in nobody's ledger and acts on each, the way a person would. */
  readonly act?: 'cancel' | 'retry';
}

const ACT_WITHIN_MS = 60_000;

async function main(orders: FeederOrders): Promise<void> {
  if (orders.failpoint !== undefined) armFromText(orders.failpoint);
  const random = randomFrom(orders.seed);
  const pools = createEnginePools({
    url: orders.url,
    controlSize: 2,
    effectsSize: 1,
    connectTimeoutMs: 3_000,
    leaseMs: 3_000,
    log: silentLog,
  });
  const pipeline = tallyPipeline(orders.laneCap === undefined ? {} : { laneCap: orders.laneCap });
  const engine = createEngine({ pools, pipelines: [pipeline], log: silentLog, version: 'chaos' });
  await stubbornly(() => engine.register());
  if (orders.act !== undefined) return act(engine, orders.act, orders.count);
  const tenants = Array.from({ length: orders.tenants ?? 3 }, () => uuidv7());
  for (let made = 0; made < orders.count; ) {
    const intents = Array.from(
      { length: Math.min(orders.batch ?? 5, orders.count - made) },
      (): Intent => ({
        id: uuidv7(),
        tenantId: random.pick(tenants),
        parts: random.between(1, 6),
        amount: random.between(1, 1_000),
        trouble: random.chance(0.1) ? 'transient' : random.chance(0.05) ? 'bug' : 'none',
      }),
    );
    made += intents.length;
    append(
      orders.ledger,
      intents.map((intent) => ({ fact: 'intent', ...intent })),
    );
    const requests = intents.map(({ id, tenantId, parts, amount, trouble }) => ({
      id,
      pipeline: 'tally',
      tenantId,
      input: { parts, amount, trouble, stepMs: orders.stepMs ?? 5 },
      // Some are due a little later, so that planned runs are under fire as well.
      ...(random.chance(0.1) ? { availableAt: new Date(Date.now() + random.between(50, 500)) } : {}),
    }));
    await stubbornly(() => engine.enqueueMany(requests));
    append(
      orders.ledger,
      intents.map(({ id }) => ({ fact: 'acknowledged', id })),
    );
    if (orders.everyMs !== undefined) await waitAtMost(orders.everyMs);
  }
  await pools.close();
  process.exit(0);
}

/** Cancels runs that are under way, or retries runs that have failed. Ends only by its failpoint, or when all is done. */
async function act(engine: ReturnType<typeof createEngine>, action: 'cancel' | 'retry', count: number): Promise<void> {
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
  process.exit(0);
}

async function stubbornly(step: () => Promise<unknown>): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    try {
      await step();
      return;
    } catch (error) {
      if (tries > 300) throw error;
      await waitAtMost(100);
    }
  }
}

await main(JSON.parse(process.argv[2] ?? '{}') as FeederOrders);

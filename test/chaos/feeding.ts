// Submits runs and keeps the auditor's ledger. A run is acknowledged in the ledger only after the product has answered. When the
// database is away it asks again with the same id.

import { createEngine } from '../../src/engine/engine.ts';
import { createEnginePools } from '../../src/engine/engine-pools.ts';
import { uuidv7 } from '../../src/platform/ids.ts';
import { silentLog } from '../../src/platform/log.ts';
import { waitAtMost } from '../../src/platform/wait.ts';
import { enginePoolUrls } from '../support/pgbouncer.ts';
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
  /** Most parts of a run; each is a transaction. */
  readonly parts?: number;
  readonly tenants?: number;
  readonly failpoint?: string;
  readonly laneCap?: number;
  /** Instead of feeding: makes runs that are in nobody's ledger and acts on each, the way a person would. */
  readonly act?: 'cancel' | 'retry';
}

/** Until all are submitted, or `signal` says that nobody wants more. */
export async function feed(orders: FeederOrders, signal?: AbortSignal): Promise<void> {
  const random = randomFrom(orders.seed);
  const { engine, pools } = await openFeeder(orders);
  const tenants = Array.from({ length: orders.tenants ?? 3 }, () => uuidv7());
  for (let made = 0; made < orders.count && signal?.aborted !== true; ) {
    const intents = Array.from(
      { length: Math.min(orders.batch ?? 5, orders.count - made) },
      (): Intent => ({
        id: uuidv7(),
        tenantId: random.pick(tenants),
        parts: random.between(1, orders.parts ?? 6),
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
}

/** Registered, with as few connections as it can do with. */
export async function openFeeder({ url, laneCap }: Pick<FeederOrders, 'url' | 'laneCap'>) {
  const pools = createEnginePools({
    ...enginePoolUrls(url),
    controlSize: 2,
    effectsSize: 1,
    connectTimeoutMs: 3_000,
    leaseMs: 3_000,
    log: silentLog,
  });
  const pipeline = tallyPipeline(laneCap === undefined ? {} : { laneCap });
  const engine = createEngine({ pools, pipelines: [pipeline], log: silentLog, version: 'chaos' });
  await stubbornly(() => engine.register());
  return { engine, pools };
}

/** A server that was stopped comes back when a busy machine lets it: minutes, not tries, say that it does not. */
const PATIENCE_MS = 300_000;

async function stubbornly(step: () => Promise<unknown>): Promise<void> {
  for (const deadline = performance.now() + PATIENCE_MS; ; ) {
    try {
      await step();
      return;
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await waitAtMost(100);
    }
  }
}

// A worker process of the chaos suites: engine-worker.js '{"url", "settings", …}'. Says "ready" when it works, drains on SIGTERM.
// Only here is a failpoint armed from outside.

import { createEngine } from '../../src/engine/engine.ts';
import { createEnginePools } from '../../src/engine/engine-pools.ts';
import type { EngineSettings } from '../../src/engine/settings.ts';
import { armFromText } from '../../src/platform/failpoints.ts';
import { type Log, silentLog } from '../../src/platform/log.ts';
import { waitAtMost } from '../../src/platform/wait.ts';
import { enginePoolUrls } from '../support/pgbouncer.ts';
import { applyEvents, tallyPipeline } from './tally.ts';

export interface WorkerOrders {
  readonly url: string;
  readonly settings: Partial<EngineSettings>;
  readonly failpoint?: string;
  /** How far this process's clock is off. */
  readonly skewMs?: number;
  readonly controlSize?: number;
  readonly effectsSize?: number;
  readonly laneCap?: number;
  /** Which version of the pipeline it knows. */
  readonly generation?: 1 | 2;
  readonly services?: boolean;
  /** False: only the services, nothing is worked on. */
  readonly work?: boolean;
  readonly consume?: boolean;
  /** Says "inside" within an open effects transaction, once, and stays there for a moment, so that it can be stopped there. */
  readonly pauseInside?: boolean;
}

/** Words that the suites listen for. */
const heard = new Set([
  'lease_lost',
  'worker was declared lost',
  'claim did not reach the database',
  'a lease that nobody worked on was given back',
]);

async function main(orders: WorkerOrders): Promise<void> {
  if (orders.skewMs !== undefined) skewClock(orders.skewMs);
  if (orders.failpoint !== undefined) armFromText(orders.failpoint);
  const log: Log = {
    ...silentLog,
    warn: (_fields, message) => {
      if (heard.has(message)) say(message);
    },
  };
  const leaseMs = orders.settings.leaseMs ?? 3_000;
  const pools = createEnginePools({
    ...enginePoolUrls(orders.url),
    controlSize: orders.controlSize ?? 4,
    effectsSize: orders.effectsSize ?? 6,
    connectTimeoutMs: 5_000,
    leaseMs,
    log,
  });
  let paused = false;
  const pipeline = tallyPipeline({
    ...(orders.laneCap === undefined ? {} : { laneCap: orders.laneCap }),
    generation: orders.generation ?? 1,
    async insideTransaction() {
      if (orders.pauseInside !== true || paused) return;
      paused = true;
      say('inside');
      await waitAtMost(300);
    },
  });
  const engine = createEngine({
    pools,
    pipelines: [pipeline],
    settings: orders.settings,
    log,
    version: `chaos-${orders.generation ?? 1}`,
  });
  if (orders.consume === true) engine.consume({ name: 'chaos', apply: applyEvents });
  await stubbornly(() => engine.register());
  await stubbornly(() => engine.start({ worker: orders.work ?? true, services: orders.services ?? true }));
  say('ready');
  process.once('SIGTERM', () => {
    engine
      .stop()
      .then(() => pools.close())
      .then(
        () => process.exit(0),
        () => process.exit(1),
      );
  });
}

/** The database may be away when a process starts. */
async function stubbornly(step: () => Promise<void>): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await step();
    } catch (error) {
      if (tries > 100) throw error;
      await waitAtMost(100);
    }
  }
}

function say(word: string): void {
  process.stdout.write(`${word}\n`);
}

/** Everything in this process that asks for the time gets a wrong answer. */
function skewClock(skewMs: number): void {
  const RealDate = Date;
  class SkewedDate extends RealDate {
    constructor(...args: [] | [number | string | Date]) {
      if (args.length === 0) super(RealDate.now() + skewMs);
      else super(args[0]);
    }
    static override now(): number {
      return RealDate.now() + skewMs;
    }
  }
  globalThis.Date = SkewedDate as DateConstructor;
}

await main(JSON.parse(process.argv[2] ?? '{}') as WorkerOrders);

// A process that moves ended runs to the history and dies at a failpoint, for src/engine/services/history.db.test.ts.
import { createEnginePools } from '../../src/engine/engine-pools.ts';
import { moveToHistory, newMoverState, retireMonths } from '../../src/engine/services/history.ts';
import { armFromText } from '../../src/platform/failpoints.ts';
import { silentLog } from '../../src/platform/log.ts';

export interface HistoryCrashOrders {
  readonly url: string;
  readonly failpoint: string;
  /** Runs per step. */
  readonly runs: number;
  readonly retire: boolean;
}

const orders = JSON.parse(process.argv[2] ?? '{}') as HistoryCrashOrders;
armFromText(orders.failpoint);
const pools = createEnginePools({
  ...{ url: orders.url, controlSize: 2, effectsSize: 1, connectTimeoutMs: 60_000, leaseMs: 60_000, log: silentLog },
});
const state = newMoverState();
if (orders.retire) await retireMonths(pools.control, { historyMonths: 24, detached: 'drop' }, silentLog);
else while (await moveToHistory(pools.control, 30, state, orders.runs));
await pools.close();

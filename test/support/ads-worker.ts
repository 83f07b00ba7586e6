// A worker process for crash tests: works on ads uploads until it dies at the failpoint it was given, or is killed.
import { armFromText } from '../../src/platform/failpoints.ts';
import { openAdsBench } from './ads.ts';

export interface AdsWorkerOrders {
  readonly url: string;
  readonly folder: string;
  readonly failpoint?: string;
  readonly deps: { readonly batchBytes: number; readonly flushRows: number; readonly promotionRows: number };
}

const orders = JSON.parse(process.argv[2] ?? '{}') as AdsWorkerOrders;
if (orders.failpoint !== undefined) armFromText(orders.failpoint);
const bench = await openAdsBench(orders.url, {
  folder: orders.folder,
  deps: orders.deps,
  settings: { lostLimit: 1_000 },
});
await bench.engine.start({ worker: true, services: orders.failpoint === undefined });

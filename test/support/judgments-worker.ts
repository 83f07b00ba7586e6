// A worker process for crash tests: works on judgments until it dies at the failpoint it was given.
import { armFromText } from '../../src/platform/failpoints.ts';
import { openJudgmentsBench } from './judgments.ts';

const orders = JSON.parse(process.argv[2] ?? '{}') as {
  url: string;
  folder: string;
  failpoint: string;
  deps: { batchBytes: number; flushRows: number; loadRows: number };
};

armFromText(orders.failpoint);
const bench = await openJudgmentsBench(orders.url, { folder: orders.folder, deps: orders.deps });
await bench.engine.start({ worker: true });

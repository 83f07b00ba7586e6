// A worker process for crash tests: works on judgments until it dies at the failpoint it was given, or is killed.
import type { EngineSettings } from '../../src/engine/settings.ts';
import { armFromText } from '../../src/platform/failpoints.ts';
import { openJudgmentsBench } from './judgments.ts';

const orders = JSON.parse(process.argv[2] ?? '{}') as {
  url: string;
  folder: string;
  failpoint?: string;
  deps: { batchBytes: number; flushRows: number; loadRows: number; laneRows: number };
  settings?: Partial<EngineSettings>;
  /** With the services of an installation: somebody must take over what the dead have left. */
  services?: boolean;
};

if (orders.failpoint !== undefined) armFromText(orders.failpoint);
const { url, folder, deps, settings = {}, services = false } = orders;
const bench = await openJudgmentsBench(url, { folder, deps, settings });
await bench.engine.start({ worker: true, services });

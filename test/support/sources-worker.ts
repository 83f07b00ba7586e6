// A worker process for crash tests: syncs sources and works on the ads files they bring, until it dies at the failpoint it was given.
import type { EngineSettings } from '../../src/engine/settings.ts';
import { armFromText } from '../../src/platform/failpoints.ts';
import { openSourcesEngine } from './sources-engine.ts';

const orders = JSON.parse(process.argv[2] ?? '{}') as {
  url: string;
  folder: string;
  failpoint?: string;
  settings: Partial<EngineSettings>;
};

if (orders.failpoint !== undefined) armFromText(orders.failpoint);
const { engine } = await openSourcesEngine(orders.url, orders.folder, orders.settings, {}, { retriesSoon: true });
await engine.start({ worker: true, services: true });

// A worker process for crash tests: works on documents until it dies at the failpoint it was given.
import type { EngineSettings } from '../../src/engine/settings.ts';
import { documentsPipeline } from '../../src/pipelines/documents/documents.pipeline.ts';
import { armFromText } from '../../src/platform/failpoints.ts';
import { documentsDeps } from './documents-deps.ts';
import { buildEngine } from './engine.ts';

const orders = JSON.parse(process.argv[2] ?? '{}') as {
  url: string;
  folder: string;
  failpoint?: string;
  deps: { pagesPerPart?: number; passagesPerPart?: number };
  settings?: Partial<EngineSettings>;
};

if (orders.failpoint !== undefined) armFromText(orders.failpoint);
const engine = await buildEngine(orders.url, [documentsPipeline(documentsDeps(orders.folder, orders.deps))], {
  ...(orders.settings === undefined ? {} : { settings: orders.settings }),
});
// Also the services: who is killed leaves runs that somebody must rescue.
await engine.start({ worker: true, services: orders.settings !== undefined });

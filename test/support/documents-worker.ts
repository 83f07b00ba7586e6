// A worker process for crash tests: works on documents until it dies at the failpoint it was given.
import type { EngineSettings } from '../../src/engine/settings.ts';
import { createQueueListener } from '../../src/pipelines/documents/delivery/queue-listener.ts';
import { SqsQueue } from '../../src/pipelines/documents/delivery/sqs-queue.ts';
import { documentsPipeline } from '../../src/pipelines/documents/documents.pipeline.ts';
import { armFromText } from '../../src/platform/failpoints.ts';
import { silentLog } from '../../src/platform/log.ts';
import { documentsDeps } from './documents-deps.ts';
import { buildEngine } from './engine.ts';

const testKeys = { sqsRegion: 'us-east-1', sqsAccessKeyId: 'test', sqsSecretAccessKey: 'test-secret' };

const orders = JSON.parse(process.argv[2] ?? '{}') as {
  url: string;
  folder: string;
  failpoint?: string;
  deps: { pagesPerPart?: number; passagesPerPart?: number; overdueAfterMs?: number };
  /** Left out: runs come from the ledger. */
  queueUrl?: string;
  settings?: Partial<EngineSettings>;
};

if (orders.failpoint !== undefined) armFromText(orders.failpoint);
const deps = documentsDeps(orders.folder, orders.deps);
const engine = await buildEngine(orders.url, [documentsPipeline(deps)], {
  ...(orders.settings === undefined ? {} : { settings: orders.settings }),
});
// Also the services: who is killed leaves runs that somebody must rescue.
await engine.start({ worker: true, services: orders.settings !== undefined });
if (orders.queueUrl !== undefined)
  createQueueListener({
    ...{ engine, store: deps.store, embedders: deps, log: silentLog, visibilitySeconds: 2, waitSeconds: 1 },
    queue: new SqsQueue(orders.queueUrl, testKeys),
  }).start();

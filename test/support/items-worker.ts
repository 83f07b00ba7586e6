// A worker process of the items pipeline, for suites and benches: works until it is told to stop, or dies at the failpoint it was given.
import type { EngineSettings } from '../../src/engine/settings.ts';
import { itemsPipeline } from '../../src/pipelines/items/items.pipeline.ts';
import { leftoversConsumer } from '../../src/pipelines/items/leftovers.ts';
import { httpProcessor } from '../../src/pipelines/items/processors/http.ts';
import type { ItemSettings } from '../../src/pipelines/items/settings.ts';
import { armFromText } from '../../src/platform/failpoints.ts';
import { silentLog } from '../../src/platform/log.ts';
import { createSecretBox } from '../../src/platform/secret-box.ts';
import { buildEngine } from './engine.ts';
import { itemsDeps } from './items-deps.ts';
import { big, noop, stormy, trouble } from './items-provider.ts';

const orders = JSON.parse(process.argv[2] ?? '{}') as {
  url: string;
  folder: string;
  failpoint?: string;
  items?: Partial<ItemSettings>;
  settings?: Partial<EngineSettings>;
  /** How long a job is at work before it gives way to others. */
  turnMs?: number;
  /** Moments of the machine's clock between which the provider `stormy` refuses. */
  storm?: readonly [number, number];
};

if (orders.failpoint !== undefined) armFromText(orders.failpoint);
const [from, to] = orders.storm ?? [0, 0];
const asking = httpProcessor({ box: createSecretBox(Buffer.alloc(32, 7)), allowPrivate: true });
const deps = itemsDeps(orders.folder, {
  processors: [noop, big, asking, trouble(orders.folder), stormy(() => Date.now() >= from && Date.now() < to)],
  settings: orders.items ?? {},
  ...(orders.turnMs === undefined ? {} : { turnMs: orders.turnMs }),
});
const engine = await buildEngine(orders.url, [itemsPipeline(deps)], {
  ...(orders.settings === undefined ? {} : { settings: orders.settings }),
});
deps.isAwaited = engine.isAwaited;
engine.consume(leftoversConsumer({ engine, log: silentLog }));
await engine.start({ worker: true, services: true });
process.send?.('ready');
process.on('disconnect', () => process.exit(0));

// An engine with sources and ads, for suites that need no documents.
import type { RetryPolicy } from '../../src/engine/retry-policy.ts';
import type { EngineSettings } from '../../src/engine/settings.ts';
import { adsPipeline } from '../../src/pipelines/ads/ads.pipeline.ts';
import { adsIntake } from '../../src/pipelines/ads/http/ads-handlers.ts';
import { sourcesPipeline } from '../../src/pipelines/sources/sources.pipeline.ts';
import type { SourcesDeps } from '../../src/pipelines/sources/sources-deps.ts';
import { DiskBlobStore } from '../../src/platform/blob/disk-blob-store.ts';
import { silentLog } from '../../src/platform/log.ts';
import { createSecretBox } from '../../src/platform/secret-box.ts';
import type { Intake } from '../../src/sources/intake.ts';
import { buildEngine } from './engine.ts';

/** As many retries as the product has, after moments instead of minutes: how long a sync waits is not what a suite is about. */
const soon = { baseMs: 100, factor: 2, maxMs: 1_000, jitter: 0.25 };
const soonAgain: RetryPolicy = {
  transient: { max: 6, backoff: soon },
  rate_limited: { max: Number.POSITIVE_INFINITY, backoff: soon },
};

/**
 * `intakes` on top of ads: what objects become where the suite has something of its own. `retriesSoon`: for suites in which the place
 * fails again and again.
 */
export async function openSourcesEngine(
  url: string,
  folder: string,
  settings: Partial<EngineSettings> = {},
  intakes: Readonly<Record<string, Intake>> = {},
  { retriesSoon = false } = {},
) {
  const store = new DiskBlobStore({ root: folder });
  const deps: SourcesDeps = {
    settings: {
      allowPrivateSources: true,
      allowServerIdentity: false,
      sourceFolderRoots: undefined,
      sourceReadTimeoutMinutes: 5,
      sourceMaxObjects: 2_000_000,
    },
    store,
    secrets: createSecretBox(Buffer.alloc(32, 9)),
    log: silentLog,
    house: undefined,
  };
  const sources = sourcesPipeline(deps);
  const own = retriesSoon ? { ...sources, retry: { ...sources.retry, ...soonAgain } } : sources;
  const engine = await buildEngine(url, [adsPipeline({ store }), own], { settings });
  const all = new Map<string, Intake>([['ads', adsIntake(engine) as unknown as Intake], ...Object.entries(intakes)]);
  deps.house = { engine, pool: engine.pools.control, maxBytes: 50 * 1024 ** 2, intakes: all };
  return { engine, deps, store };
}

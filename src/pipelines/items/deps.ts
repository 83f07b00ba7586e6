// What the stages and handlers of the items pipeline share.
import type { BlobStore } from '../../platform/blob/blob-store.ts';
import type { ConnectedSources } from '../../sources/connected-sources.ts';
import { ImageReader } from './images/image-process.ts';
import { Paces } from './process/pace.ts';
import type { HttpDeps } from './processors/http.ts';
import { openProcessors, type Processors } from './processors/registry.ts';
import type { ItemSettings } from './settings.ts';

export interface ItemsDeps {
  readonly store: BlobStore;
  readonly settings: ItemSettings;
  readonly processors: Processors;
  /** Of every host that processors ask, shared by all jobs of this process. */
  readonly paces: Paces;
  /** Bytes of a file per piece; small in tests, so that a small file has many. */
  readonly batchBytes?: number;
  /** Bytes of a file whose rows a slice may hold; few in tests. */
  readonly claimBytes?: number;
  /** Bytes of answers that wait for a commit; few in tests. */
  readonly resultBytes?: number;
  /** Different rows that copies are recognised among; few in tests. */
  readonly mostRemembered?: number;
  /** How long a job is at work before it asks whether others wait; short in tests. */
  readonly turnMs?: number;
  /** Whether other runs wait for a worker. Set when the engine is there; without it nobody gives way. */
  isAwaited?: () => Promise<boolean>;
  /** Set when the installation is open and has sources, before any request is answered. */
  connected?: ConnectedSources | undefined;
}

export async function openItems(settings: ItemSettings, store: BlobStore, http: HttpDeps): Promise<ItemsDeps> {
  const images = new ImageReader({ maxMemoryMb: settings.imageMemoryMb, timeoutMs: settings.itemTimeoutMs });
  const limits = { maxMemoryMb: settings.itemProcessorMemoryMb };
  const processors = await openProcessors(settings.itemProcessorModules, http, images, limits);
  return { store, settings, processors, paces: new Paces() };
}

// What an items pipeline needs in a test: a blob store in a folder, quick settings, processors of the test's own. Free of vitest, for programs.
import { z } from 'zod';
import type { ItemsDeps } from '../../src/pipelines/items/deps.ts';
import { Paces } from '../../src/pipelines/items/process/pace.ts';
import { catalogProcessor } from '../../src/pipelines/items/processors/catalog.ts';
import type { AnyProcessor } from '../../src/pipelines/items/processors/processor.ts';
import { processorsOf } from '../../src/pipelines/items/processors/registry.ts';
import { type ItemSettings, itemSettings } from '../../src/pipelines/items/settings.ts';
import { DiskBlobStore } from '../../src/platform/blob/disk-blob-store.ts';

export interface ItemsDepsOptions {
  readonly settings?: Partial<ItemSettings>;
  readonly processors?: readonly AnyProcessor[];
  readonly batchBytes?: number;
  readonly mostRemembered?: number;
  readonly claimBytes?: number;
  readonly resultBytes?: number;
  readonly turnMs?: number;
}

export function itemsDeps(
  folder: string,
  {
    settings = {},
    processors = [],
    batchBytes,
    mostRemembered,
    claimBytes,
    resultBytes,
    turnMs,
  }: ItemsDepsOptions = {},
): ItemsDeps {
  const defaults = z.object(itemSettings.shape).parse({});
  return {
    store: new DiskBlobStore({ root: folder }),
    settings: { ...defaults, ...settings },
    processors: processorsOf([catalogProcessor, ...processors]),
    paces: new Paces(),
    ...(batchBytes === undefined ? {} : { batchBytes }),
    ...(mostRemembered === undefined ? {} : { mostRemembered }),
    ...(claimBytes === undefined ? {} : { claimBytes }),
    ...(resultBytes === undefined ? {} : { resultBytes }),
    ...(turnMs === undefined ? {} : { turnMs }),
  };
}

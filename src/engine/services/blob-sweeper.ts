// The blob sweeper. Soon after an upload was killed it deletes what the upload left behind; once an hour it deletes bytes that no run needs.
import type { BlobStore } from '../../platform/blob/blob-store.ts';
import type { Queryable } from '../../platform/database.ts';
import type { Log } from '../../platform/log.ts';
import { defaultSweep, type SweepSettings, sweepBlobs } from '../blobs/sweep-blobs.ts';
import { createLoop, type Service } from './loop.ts';

const tickMs = 20_000;
const fullSweepMs = 3_600_000;

export function createBlobSweeper(options: {
  readonly pool: Queryable;
  readonly store: BlobStore;
  readonly log: Log;
  readonly settings?: Partial<SweepSettings>;
}): Service {
  const settings = { ...defaultSweep, ...options.settings };
  let sweptAt = Number.NEGATIVE_INFINITY;
  return createLoop({
    name: 'blob-sweeper',
    everyMs: tickMs,
    log: options.log,
    tick: async () => {
      if (performance.now() - sweptAt < fullSweepMs) {
        await options.store.removeUnfinished(settings.unfinishedMs);
        return undefined;
      }
      const result = await sweepBlobs(options.pool, options.store, settings);
      sweptAt = performance.now();
      if (Object.values(result).some((count) => count > 0)) options.log.info({ ...result }, 'blobs swept');
      return undefined;
    },
  });
}

// The blob sweeper. Soon after an upload was killed every process deletes what the upload left behind. The elected process deletes bytes that no run
// needs once an hour, and bytes without a row once a day: for those it lists the whole store.
import type { BlobStore } from '../../platform/blob/blob-store.ts';
import type { Queryable } from '../../platform/database.ts';
import type { Log } from '../../platform/log.ts';
import { defaultSweep, type SweepSettings, sweepBlobs } from '../blobs/sweep-blobs.ts';
import type { Elected } from './election.ts';
import { createLoop, type Service } from './loop.ts';

const tickMs = 20_000;
const fullSweepMs = 3_600_000;
const storeSweepMs = 24 * fullSweepMs;

export function createBlobSweeper(options: {
  readonly pool: Queryable;
  readonly store: BlobStore;
  readonly log: Log;
  readonly election?: Elected;
  readonly settings?: Partial<SweepSettings>;
}): Service {
  const settings = { ...defaultSweep, ...options.settings };
  let sweptAt = Number.NEGATIVE_INFINITY;
  let storeSweptAt = Number.NEGATIVE_INFINITY;
  return createLoop({
    name: 'blob-sweeper',
    everyMs: tickMs,
    log: options.log,
    tick: async () => {
      const now = performance.now();
      if (now - sweptAt < fullSweepMs || options.election?.isElected() === false) {
        await options.store.removeUnfinished(settings.unfinishedMs);
        return undefined;
      }
      const looksThroughStore = now - storeSweptAt >= storeSweepMs;
      const result = await sweepBlobs(options.pool, options.store, { ...settings, looksThroughStore });
      sweptAt = performance.now();
      if (looksThroughStore) storeSweptAt = sweptAt;
      if (Object.values(result).some((count) => count > 0)) options.log.info({ ...result }, 'blobs swept');
      return undefined;
    },
  });
}

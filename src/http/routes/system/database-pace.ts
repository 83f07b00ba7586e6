// How quickly the database answers this process, as a moving average of the smallest question, and how long a caller waits now for a
// connection of a pool. One average for all who ask.
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { type Pool, withClient } from '../../../platform/database.ts';
import { ping } from '../../sql/ping.ts';

/** The weight of the newest answer. */
const EWMA_SHARE = 0.2;
let latencyS: number | undefined;

/** Asked on the API's own pool, so that waiting for a connection shows as well. */
export async function measureLatency(pool: Pool): Promise<number> {
  const startedAt = performance.now();
  await ping(pool);
  const seconds = secondsSince(startedAt);
  latencyS = latencyS === undefined ? seconds : latencyS + EWMA_SHARE * (seconds - latencyS);
  return latencyS;
}

/** Where no connection became free in time, that time: a pool in full use is what this figure is for, no reason to give none. */
export async function measurePoolWait(pool: Pool): Promise<number> {
  const startedAt = performance.now();
  try {
    return await withClient(pool, async () => secondsSince(startedAt));
  } catch (error) {
    if (error instanceof MillraceError && error.code === 'pool_exhausted') return secondsSince(startedAt);
    throw error;
  }
}

function secondsSince(startedAt: number): number {
  return (performance.now() - startedAt) / 1_000;
}

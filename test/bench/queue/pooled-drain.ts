// A drain behind a real PgBouncer in transaction mode beside the same past it. The pooler's own server connections are as many as one worker process
// may have.
import { startPgBouncer } from '../../support/pgbouncer.ts';
import type { Arena } from './arena.ts';
import { drainOn, settle } from './measures.ts';

/** What a worker process may take from a pooler. */
const POOL_SIZE = 8;

/** Runs per second each way. */
export async function measurePooledDrain(
  arena: Arena,
  count: number,
  isPooledFirst: boolean,
): Promise<{ readonly pooled: number; readonly direct: number }> {
  const pooled = () => drainOnce(arena, count, true);
  const direct = () => drainOnce(arena, count, false);
  const first = await (isPooledFirst ? pooled() : direct());
  const second = await (isPooledFirst ? direct() : pooled());
  return isPooledFirst ? { pooled: first, direct: second } : { pooled: second, direct: first };
}

async function drainOnce(arena: Arena, count: number, isPooled: boolean): Promise<number> {
  const ground = await arena.ground('millrace');
  try {
    await settle(ground, 'millrace');
    if (!isPooled) return (await drainOn(ground, 'millrace', count, 1)).drainedPerSecond;
    const pooler = await startPgBouncer(ground.url, [ground.url], { poolSize: POOL_SIZE });
    try {
      const behind = { ...ground, pooledUrl: pooler.through(ground.url) };
      return (await drainOn(behind, 'millrace', count, 1)).drainedPerSecond;
    } finally {
      await pooler.stop();
    }
  } finally {
    await ground.drop();
  }
}

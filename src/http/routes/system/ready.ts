// GET /ready: everything a request may need answers within a second. 503 when something does not. Work that stands still is told as
// degraded, with 200: requests can be served, and a load balancer that took the API away would only make it worse.
import { withClient } from '../../../platform/database.ts';
import type { AppContext, ReadyCheck } from '../../app-context.ts';
import { handle } from '../../call.ts';
import { ping } from '../../sql/ping.ts';

const TIMEOUT_MS = 1_500;

/** Thrown by a check whose reason may be told to everybody. */
export class NotMoving extends Error {}

export const ready = handle('system.ready', async ({ app, reply }) => {
  const checks: Record<string, ReadyCheck> = { database: () => checkDatabase(app), ...app.readyChecks };
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => [name, await timed(check)] as const),
  );
  const work = await Promise.all(
    Object.entries(app.workChecks ?? {}).map(async ([name, check]) => [name, await timed(check)] as const),
  );
  const isReady = results.every(([, result]) => result.ok);
  if (!isReady) reply.code(503).header('retry-after', '2');
  return {
    status: statusOf(
      isReady,
      work.every(([, result]) => result.ok),
    ),
    checks: Object.fromEntries([...results, ...work]),
  };
});

function statusOf(isReady: boolean, isWorking: boolean): 'ready' | 'degraded' | 'not_ready' {
  if (!isReady) return 'not_ready';
  return isWorking ? 'ready' : 'degraded';
}

async function checkDatabase(app: AppContext): Promise<undefined> {
  await withClient(app.pool, ping);
}

/** The reason of a failure stays in the log; outside it is only said that it failed, unless the check has a word for it. */
async function timed(check: ReadyCheck): Promise<{ ok: boolean; ms: number; detail?: string }> {
  const startedAt = performance.now();
  const since = () => Math.round(performance.now() - startedAt);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('late')), TIMEOUT_MS);
  });
  try {
    const detail = await Promise.race([check(), late]);
    return { ok: true, ms: since(), ...(detail === undefined ? {} : { detail }) };
  } catch (error) {
    return { ok: false, ms: since(), detail: error instanceof NotMoving ? error.message : 'does not answer' };
  } finally {
    clearTimeout(timer);
  }
}

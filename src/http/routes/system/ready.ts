// GET /ready: everything a request may need answers within a second. 503 when something does not.
import { withClient } from '../../../platform/database.ts';
import type { AppContext, ReadyCheck } from '../../app-context.ts';
import { handle } from '../../call.ts';
import { ping } from '../../sql/ping.ts';

const TIMEOUT_MS = 1_500;

export const ready = handle('system.ready', async ({ app, reply }) => {
  const checks: Record<string, ReadyCheck> = { database: () => checkDatabase(app), ...app.readyChecks };
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => [name, await timed(check)] as const),
  );
  const isReady = results.every(([, result]) => result.ok);
  if (!isReady) reply.code(503).header('retry-after', '2');
  const status = isReady ? ('ready' as const) : ('not_ready' as const);
  return { status, checks: Object.fromEntries(results) };
});

async function checkDatabase(app: AppContext): Promise<undefined> {
  await withClient(app.pool, ping);
}

/** The reason of a failure stays in the log; outside it is only said that it failed. */
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
  } catch {
    return { ok: false, ms: since(), detail: 'does not answer' };
  } finally {
    clearTimeout(timer);
  }
}

// GET /v1/lanes: each lane of the tenant, and why its first run waits.

import { readLanes } from '../../../engine/reads/read-queue.ts';
import { handle } from '../../call.ts';
import { engineOf } from '../../engine-of.ts';

const MAX_REASONS = 50;

export const listLanes = handle('operate.lanes', async (call) => {
  const engine = engineOf(call);
  const { tenantId } = call.principal;
  const lanes = await readLanes(engine.pools.control, tenantId);
  const data = await Promise.all(
    lanes.map(async ({ first_run_id: first, oldest_waiting_at: oldest, ...lane }, index) => ({
      ...lane,
      oldest_waiting_at: oldest?.toISOString() ?? null,
      wait: first === null || index >= MAX_REASONS ? null : await whyFirstWaits(first),
    })),
  );
  return { data };

  /** It may have started in the meantime. */
  async function whyFirstWaits(runId: string): Promise<string | null> {
    const run = await engine.run(tenantId, runId).catch(() => undefined);
    return run === undefined ? null : ((await engine.why(run))?.text ?? null);
  }
});

// Tells once that a source which has a schedule had no sync for too long, whatever the reason: no worker, no schedule, no luck.
import type { Engine } from '../../engine/engine.ts';
import { createLoop, type Service } from '../../engine/services/loop.ts';
import { becomeRole } from '../../engine/sql/become-role.ts';
import { insertEvents } from '../../engine/sql/insert-events.ts';
import { withTransaction } from '../../platform/database.ts';
import type { Log } from '../../platform/log.ts';
import { takeStale } from './sql/watch-sources.ts';

export const SERVICES_ROLE = 'sources_services';
const EVERY_MS = 60_000;
const AT_ONCE = 200;

export function createStaleWatch(engine: Engine, log: Log): Service {
  return createLoop({
    name: 'stale sources',
    everyMs: EVERY_MS,
    election: engine.election,
    log,
    tick: async () => ((await tellStale(engine)) === AT_ONCE ? 0 : undefined),
  });
}

export async function tellStale(engine: Engine): Promise<number> {
  return withTransaction(engine.pools.control, async (tx) => {
    await becomeRole(tx, SERVICES_ROLE);
    const stale = await takeStale(tx, AT_ONCE);
    await becomeRole(tx, 'millrace_engine');
    if (stale.length > 0)
      await insertEvents(
        tx,
        stale.map(({ tenant_id: tenantId, source_id: sourceId }) => ({
          tenantId,
          runId: null,
          type: 'source.stale',
          key: '',
          data: JSON.stringify({ source_id: sourceId }),
        })),
      );
    return stale.length;
  });
}

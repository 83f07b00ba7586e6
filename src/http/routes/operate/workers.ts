// GET /v1/workers

import { readWorkers } from '../../../engine/reads/read-queue.ts';
import { handle } from '../../call.ts';
import { engineOf } from '../../engine-of.ts';

export const listWorkers = handle('operate.workers', async (call) => {
  const rows = await readWorkers(engineOf(call).pools.control, call.principal.tenantId);
  const data = rows.map((row) => ({
    worker_id: row.worker_id,
    name: row.name,
    state: row.alive ? ('alive' as const) : ('lost' as const),
    pipelines: row.pipelines,
    slots: row.concurrency,
    running: row.running,
    version: row.version,
    started_at: row.started_at.toISOString(),
    seen_at: row.heartbeat_at.toISOString(),
  }));
  return { data };
});

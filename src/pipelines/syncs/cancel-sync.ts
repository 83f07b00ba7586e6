// Cancels a sync: the run ends, and its job at Airbyte is cancelled too. A first look for that job is taken here, so that the
// answer is true when it arrives; what it cannot settle is left to the canceller.
import type { Actor } from '../../engine/actions.ts';
import { readCheckpoint } from '../../engine/sql/checkpoints.ts';
import type { Log } from '../../platform/log.ts';
import { asWorker, lookAndSettle, noteCancellation } from './cancellations.ts';
import type { SyncCheckpoint } from './checkpoint.ts';
import { JobDispatcher } from './dispatcher.ts';
import { readCancellation } from './sql/cancellations.ts';
import type { JobRow } from './sql/read-jobs.ts';
import type { SyncService } from './sync-service.ts';

export async function cancelSync(service: SyncService, actor: Actor, jobId: string, log: Log): Promise<JobRow> {
  const { tenantId } = actor;
  const dispatcher = new JobDispatcher(service, tenantId);
  const { connector_id: connectorId } = await dispatcher.job(jobId);
  await service.engine.cancel(actor, jobId);
  const known = (await readCheckpoint(service.engine.pools.control, jobId, 'sync', '')) as SyncCheckpoint | undefined;
  const open = await asWorker(service, tenantId, async (tx) => {
    await noteCancellation(tx, { jobId, tenantId, connectorId }, known);
    return readCancellation(tx, tenantId, jobId);
  });
  if (open) await lookAndSettle(service, open, log);
  return dispatcher.job(jobId);
}

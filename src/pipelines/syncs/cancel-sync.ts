// Cancels a sync: the run ends, and its job at Airbyte is cancelled too. A live worker does the latter when it hears of it; it is
// also done here, because the run may have been waiting for a retry while its job went on.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { Actor } from '../../engine/actions.ts';
import { readCheckpoint } from '../../engine/sql/checkpoints.ts';
import type { Log } from '../../platform/log.ts';
import type { SyncCheckpoint } from './checkpoint.ts';
import { JobDispatcher } from './dispatcher.ts';
import { findConnector } from './sql/connectors.ts';
import type { JobRow } from './sql/read-jobs.ts';
import { inOneTransaction, type SyncDesk } from './sync-desk.ts';

export async function cancelSync(desk: SyncDesk, actor: Actor, jobId: string, log: Log): Promise<JobRow> {
  const dispatcher = new JobDispatcher(desk, actor.tenantId);
  const { connector_id: connectorId } = await dispatcher.job(jobId);
  await desk.engine.cancel(actor, jobId);
  const known = (await readCheckpoint(desk.engine.pools.control, jobId, 'sync', '')) as SyncCheckpoint | undefined;
  if (known?.job) {
    await cancelAtAirbyte(desk, actor.tenantId, connectorId, known.job.id).catch((error: unknown) => {
      const code = error instanceof MillraceError ? error.code : 'unknown';
      log.warn({ run: jobId, airbyte_job_id: known.job?.id, code }, 'sync could not be cancelled at Airbyte');
    });
  }
  return dispatcher.job(jobId);
}

async function cancelAtAirbyte(
  desk: SyncDesk,
  tenantId: string,
  connectorId: string,
  airbyteJobId: string,
): Promise<void> {
  const client = await inOneTransaction(desk, tenantId, ({ asTenant }) =>
    asTenant(async (db) => {
      const connector = await findConnector(db, tenantId, connectorId);
      return connector ? desk.clients.forConnector(db, connector) : undefined;
    }),
  );
  await client?.cancelJob(airbyteJobId);
}

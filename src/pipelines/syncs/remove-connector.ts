// Removes a connector. A live sync of it is cancelled first, here and at Airbyte; what Airbyte could not be asked yet keeps the
// connector's sealed credential until the canceller has settled it, so that no job is left behind. Runs and their history stay.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { Actor } from '../../engine/actions.ts';
import { readCheckpoint } from '../../engine/sql/checkpoints.ts';
import { enterStage, leaveStage } from '../../engine/sql/fence.ts';
import { deleteSchedule } from '../../engine/sql/schedules.ts';
import type { Queryable } from '../../platform/database.ts';
import type { Log } from '../../platform/log.ts';
import { waitAtMost } from '../../platform/wait.ts';
import { cancelSync } from './cancel-sync.ts';
import { noteCancellation } from './cancellations.ts';
import type { SyncCheckpoint } from './checkpoint.ts';
import { scheduleName } from './connector-schedule.ts';
import { WORKER_ROLE } from './gate.ts';
import { keepWayToAirbyte, listCancelledOf, listUnnoted } from './sql/cancellations.ts';
import { findLiveJob } from './sql/read-jobs.ts';
import { deleteConnector, lockConnector } from './sql/write-connector.ts';
import { inOneTransaction, type SyncService } from './sync-service.ts';

/** A sync that is told to stop does so at the end of its transaction. */
const PATIENCE_MS = 10_000;
const LOOK_EVERY_MS = 100;

export async function removeConnector(
  service: SyncService,
  actor: Actor,
  connectorId: string,
  log: Log,
): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const live = await removeIfIdle(service, actor.tenantId, connectorId);
    if (live === undefined) return;
    if (performance.now() > deadline) throw new MillraceError('connector_busy', { connector: connectorId, job: live });
    const job = await cancelSync(service, actor, live, log).catch(ignoreEnded);
    if (job?.completed_at === null) await waitAtMost(LOOK_EVERY_MS);
  }
}

/** The live sync that stands in the way; undefined: the connector is removed. */
function removeIfIdle(service: SyncService, tenantId: string, connectorId: string): Promise<string | undefined> {
  return inOneTransaction(service, tenantId, async ({ tx, asTenant }) => {
    const live = await asTenant(async (db) => {
      const isThere = await lockConnector(db, tenantId, connectorId);
      if (!isThere) throw new MillraceError('connector_not_found', { connector: connectorId });
      return findLiveJob(db, tenantId, connectorId);
    });
    if (live !== undefined) return live;
    await keepWhatIsOpen(tx, tenantId, connectorId);
    await asTenant((db) => deleteConnector(db, tenantId, connectorId));
    await deleteSchedule(tx, tenantId, scheduleName(connectorId));
    return undefined;
  });
}

/** A cancel that the reader of the outbox has not come to yet is noted here: afterwards nobody could reach its job. */
async function keepWhatIsOpen(tx: Queryable, tenantId: string, connectorId: string): Promise<void> {
  const asWorker = async <T>(work: () => Promise<T>): Promise<T> => {
    await enterStage(tx, WORKER_ROLE, tenantId);
    const result = await work();
    await leaveStage(tx);
    return result;
  };
  const unnoted = await asWorker(() => listUnnoted(tx, tenantId, connectorId));
  for (const jobId of await listCancelledOf(tx, unnoted)) {
    const known = (await readCheckpoint(tx, jobId, 'sync', '')) as SyncCheckpoint | undefined;
    await asWorker(() => noteCancellation(tx, { jobId, tenantId, connectorId }, known));
  }
  await asWorker(() => keepWayToAirbyte(tx, tenantId, connectorId));
}

function ignoreEnded(error: unknown): undefined {
  if (!(error instanceof MillraceError) || error.code !== 'event_illegal') throw error;
  return undefined;
}

// One cycle of a worker that cron starts, and the schedule's windows.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { setClockOffset, useDatabase } from '../../../test/support/database.ts';
import { calm } from '../../../test/support/fake-airbyte/knobs.ts';
import { type FakeAirbyte, startFakeAirbyte } from '../../../test/support/fake-airbyte/server.ts';
import { buildConnector, buildSyncs, buildSyncTenant } from '../../../test/support/syncs.ts';
import { changeConnector } from './connectors.ts';
import { JobDispatcher } from './dispatcher.ts';
import type { SyncService } from './sync-service.ts';
import { runWorkerCycle } from './worker-cycle.ts';

const db = useDatabase();
let airbyte: FakeAirbyte;
let service: SyncService & { close(): Promise<void> };

beforeAll(async () => {
  airbyte = await startFakeAirbyte();
  service = await buildSyncs(db.appUrl, airbyte, { settings: { leaseMs: 2 * 86_400_000 } });
});
afterAll(async () => {
  await service.close();
  await airbyte.close();
});

it('works on queued jobs and on retries that are due, says how many of each, and fires windows that have come', async () => {
  const tenantId = await buildSyncTenant(db, 'free');
  const dispatcher = new JobDispatcher(service, tenantId);
  const [one, two] = [
    await buildConnector(service, airbyte, tenantId),
    await buildConnector(service, airbyte, tenantId),
  ];
  expect(await runWorkerCycle(service.engine)).toEqual({ queued_processed: 0, retry_processed: 0 });
  await dispatcher.dispatch({ connectorId: one.connector_id });
  const { job } = await dispatcher.dispatch({ connectorId: two.connector_id });
  expect(await dispatcher.getQueuedJobs()).toHaveLength(2);
  airbyte.knobs = { ...calm, serverError: 1, effectBeforeLoss: 0 };
  expect(await runWorkerCycle(service.engine)).toEqual({ queued_processed: 2, retry_processed: 0 });
  expect(await dispatcher.job(job.job_id)).toMatchObject({ status: 'failed', retry_count: 1 });
  expect(await runWorkerCycle(service.engine)).toEqual({ queued_processed: 0, retry_processed: 0 });
  airbyte.knobs = calm;
  await setClockOffset(db.admin, '2 minutes');
  expect(await runWorkerCycle(service.engine)).toEqual({ queued_processed: 0, retry_processed: 2 });
  expect(await dispatcher.job(job.job_id)).toMatchObject({ status: 'success' });
  // Both windows of the coming day, once each, although ten days pass.
  await setClockOffset(db.admin, '10 days');
  expect(await runWorkerCycle(service.engine)).toEqual({ queued_processed: 2, retry_processed: 0 });
  expect(await runWorkerCycle(service.engine)).toEqual({ queued_processed: 0, retry_processed: 0 });
  expect(airbyte.jobsOf(one.connection_id)).toHaveLength(2);
});

it('renaming a connector does not move a window that is due; another interval does', async () => {
  const tenantId = await buildSyncTenant(db, 'growth');
  const { connector_id: id } = await buildConnector(service, airbyte, tenantId);
  const dueAt = async () => {
    const { rows } = await db.admin.query<{ next_at: Date }>('select next_at from engine.schedules where name = $1', [
      `sync:${id}`,
    ]);
    return rows[0]?.next_at.getTime() ?? 0;
  };
  const before = await dueAt();
  await setClockOffset(db.admin, '12 days');
  await changeConnector(service, tenantId, id, { name: 'Another name' });
  expect(await dueAt()).toBe(before);
  await changeConnector(service, tenantId, id, { intervalSeconds: 43_200 });
  expect(await dueAt()).toBeGreaterThan(before);
});

// A sync from dispatch to its end, against a fake Airbyte over HTTP.
import { describe, expect, it } from 'vitest';
import { setClockOffset } from '../../../test/support/database.ts';
import { calm } from '../../../test/support/fake-airbyte/knobs.ts';
import { buildConnector, buildSyncs } from '../../../test/support/syncs.ts';
import { useSyncs } from '../../../test/support/use-syncs.ts';
import { waitFor } from '../../../test/support/wait-for.ts';
import { silentLog } from '../../platform/log.ts';
import { cancelSync } from './cancel-sync.ts';
import type { ConnectorRow } from './sql/connectors.ts';
import type { JobRow } from './sql/read-jobs.ts';

const runMs = new Map<string, number>();
const failing = new Set<string>();

const syncs = useSyncs({
  runMs: (connection) => runMs.get(connection) ?? 60,
  outcome: ({ connectionId, number }) => (failing.has(connectionId) && number === 1 ? 'failed' : 'succeeded'),
  rows: 12_345,
});
const { db, dispatcher } = syncs;

const connect = (wish = {}) => buildConnector(syncs.service, syncs.airbyte, syncs.tenantId, wish);
const until = (jobId: string, status: JobRow['status'], timeoutMs = 300_000) =>
  waitFor(
    async () => {
      const job = await dispatcher().job(jobId);
      return job.status === status ? job : undefined;
    },
    { timeoutMs, what: `job ${jobId} to be ${status}` },
  );
const start = async (connector: ConnectorRow) =>
  (await dispatcher().dispatch({ connectorId: connector.connector_id, correlationId: 'req-789' })).job;
const events = async (jobId: string, type: string) => {
  const { rows } = await db.admin.query<{ data: Record<string, unknown> }>(
    'select data from engine.events where run_id = $1 and type = $2 order by event_id',
    [jobId, type],
  );
  return rows.map(({ data }) => data);
};

describe('a sync', () => {
  it('is triggered once, followed, and ends as success with records, bytes and duration', async () => {
    const connector = await connect();
    const { job_id: jobId } = await start(connector);
    const job = await until(jobId, 'success');
    expect(job).toMatchObject({ retry_count: 0, correlation_id: 'req-789', error_code: null, next_retry_at: null });
    const [remote] = syncs.airbyte.jobsOf(connector.connection_id);
    expect(job.run_id).toBe(String(remote?.jobId));
    expect(BigInt(job.run_id ?? '0')).toBeGreaterThan(2n ** 53n);
    const run = await syncs.service.engine.run(syncs.tenantId, jobId);
    expect(run.receipt).toMatchObject({ read: 12_345, outcomes: { synced: 12_345 }, bytes_synced: 1_234_500 });
    await waitFor(async () => (await events(jobId, 'job.queued')).length === 1);
    expect(await events(jobId, 'job.queued')).toEqual([
      { job_id: jobId, tenant_id: syncs.tenantId, connector_id: connector.connector_id },
    ]);
    expect(await events(jobId, 'job.started')).toMatchObject([{ job_id: jobId, run_id: job.run_id }]);
    expect(await events(jobId, 'job.completed')).toMatchObject([
      { job_id: jobId, records_synced: 12_345, duration_seconds: expect.any(Number) },
    ]);
    expect((await syncs.service.engine.verify(syncs.tenantId, jobId)).differences).toEqual([]);
  });

  it('adopts a sync that somebody else has started instead of starting a second one', async () => {
    const connector = await connect();
    runMs.set(connector.connection_id, 300);
    const theirs = syncs.airbyte.world.newJob(connector.connection_id, 'sync');
    const job = await until((await start(connector)).job_id, 'success');
    expect(job.run_id).toBe(String(theirs.jobId));
    expect(syncs.airbyte.jobsOf(connector.connection_id)).toHaveLength(1);
  });

  it('finds its job after the answer to the trigger was lost, even when that job has ended and Airbyte’s clock is off', async () => {
    const connector = await connect();
    syncs.airbyte.knobs = { ...calm, clockSkewMs: -3_600_000 };
    // The list before the trigger is answered; the trigger has its effect, and its answer is cut off.
    const listed = () => syncs.airbyte.log.filter((line) => line.startsWith('GET /jobs ')).length;
    const before = listed();
    const watching = waitFor(() => listed() > before, { everyMs: 1 }).then(() => {
      syncs.airbyte.knobs = { ...calm, clockSkewMs: -3_600_000, reset: 1, effectBeforeLoss: 1 };
    });
    const { job_id: jobId } = await start(connector);
    await watching;
    const waiting = await until(jobId, 'failed');
    expect(waiting).toMatchObject({ error_code: 'airbyte_unreachable', retry_count: 1 });
    syncs.airbyte.knobs = { ...calm, clockSkewMs: -3_600_000 };
    await waitFor(() => !syncs.airbyte.isRunning(connector.connection_id));
    await setClockOffset(db.admin, '2 minutes');
    const job = await until(jobId, 'success');
    expect(syncs.airbyte.jobsOf(connector.connection_id).map(({ jobId: id }) => String(id))).toEqual([job.run_id]);
  });

  it('that Airbyte reports as failed is tried again with a new Airbyte job', async () => {
    const connector = await connect();
    failing.add(connector.connection_id);
    const { job_id: jobId } = await start(connector);
    const waiting = await until(jobId, 'failed');
    expect(waiting).toMatchObject({ error_code: 'airbyte_sync_failed', retry_count: 1 });
    const pause = (waiting.next_retry_at?.getTime() ?? 0) - Date.now();
    expect(pause).toBeGreaterThan(40_000);
    expect(pause).toBeLessThan(76_000);
    await setClockOffset(db.admin, '2 minutes');
    await until(jobId, 'success');
    expect(syncs.airbyte.jobsOf(connector.connection_id)).toHaveLength(2);
    await waitFor(async () => (await events(jobId, 'job.retry')).length === 1);
    expect(await events(jobId, 'job.retry')).toMatchObject([
      { job_id: jobId, retry_count: 1, delay_seconds: expect.any(Number) },
    ]);
    expect(await events(jobId, 'job.failed')).toMatchObject([
      { job_id: jobId, error_code: 'airbyte_sync_failed', error_message: expect.stringContaining('ended as "failed"') },
    ]);
  });

  it('whose credential is refused becomes a dead letter at once, and support can requeue it', async () => {
    const connector = await connect();
    syncs.airbyte.knobs = { ...calm, unauthorized: 1 };
    const { job_id: jobId } = await start(connector);
    expect(await until(jobId, 'dead_letter')).toMatchObject({ error_code: 'airbyte_unauthorized', retry_count: 0 });
    await waitFor(async () => (await events(jobId, 'job.dead_lettered')).length === 1);
    expect(await events(jobId, 'job.dead_lettered')).toEqual([
      {
        job_id: jobId,
        tenant_id: syncs.tenantId,
        connector_id: connector.connector_id,
        retry_count: 0,
        error_code: 'airbyte_unauthorized',
        error_message: expect.stringContaining('401'),
      },
    ]);
    syncs.airbyte.knobs = calm;
    const again = await dispatcher().requeueFromDlq({ jobId, correlationId: 'TICKET-1', by: 'support' });
    await expect(
      dispatcher().requeueFromDlq({ jobId, correlationId: 'TICKET-1', by: 'support' }),
    ).rejects.toMatchObject({ code: 'run_already_retried', message: expect.stringContaining(again.job_id) });
    expect(again).toMatchObject({ connector_id: connector.connector_id, correlation_id: 'TICKET-1' });
    await until(again.job_id, 'success');
    await expect(
      dispatcher().requeueFromDlq({ jobId, correlationId: 'TICKET-2', by: 'support' }),
    ).rejects.toMatchObject({
      code: 'run_already_retried',
    });
    const { rows } = await db.admin.query('select id from engine.dead_letters where id = $1', [jobId]);
    expect(rows).toEqual([]);
  });

  it('waits as a 429 tells it, even above the cap, and that costs no retry', async () => {
    const connector = await connect();
    syncs.airbyte.knobs = { ...calm, rateLimited: 1, retryAfter: 7_200 };
    const { job_id: jobId } = await start(connector);
    const waiting = await until(jobId, 'failed');
    expect(waiting).toMatchObject({ error_code: 'airbyte_rate_limited', retry_count: 0 });
    expect((waiting.next_retry_at?.getTime() ?? 0) - Date.now()).toBeGreaterThan(7_100_000);
    syncs.airbyte.knobs = calm;
    await setClockOffset(db.admin, '125 minutes');
    await until(jobId, 'success');
  });

  it('outlasts trouble while it polls without using up a retry', async () => {
    const connector = await connect();
    runMs.set(connector.connection_id, 400);
    const { job_id: jobId } = await start(connector);
    await waitFor(async () => (await dispatcher().job(jobId)).run_id);
    syncs.airbyte.knobs = { ...calm, serverError: 0.4, htmlPage: 0.3 };
    expect(await until(jobId, 'success')).toMatchObject({ retry_count: 0 });
  });

  it('that is cancelled is cancelled at Airbyte too', async () => {
    const connector = await connect();
    runMs.set(connector.connection_id, 60_000);
    const { job_id: jobId } = await start(connector);
    await waitFor(async () => (await dispatcher().job(jobId)).run_id);
    const job = await cancelSync(syncs.service, { tenantId: syncs.tenantId, by: 'ada' }, jobId, silentLog);
    expect(job).toMatchObject({ status: 'cancelled', error_code: 'run_cancelled' });
    await waitFor(() => !syncs.airbyte.isRunning(connector.connection_id));
  });

  it('that has been running for more than two hours is found by the printed query; the view has the model’s columns', async () => {
    const connector = await connect();
    runMs.set(connector.connection_id, 60_000);
    await setClockOffset(db.admin, '-3 hours');
    const { job_id: jobId } = await start(connector);
    await waitFor(async () => (await dispatcher().job(jobId)).run_id);
    const { rows } = await db.admin.query(`SELECT job_id, tenant_id, connector_id, started_at
FROM ingestion_jobs
WHERE status = 'running'
  AND started_at < NOW() - INTERVAL '2 hours';`);
    expect(rows).toMatchObject([{ job_id: jobId, tenant_id: syncs.tenantId, connector_id: connector.connector_id }]);
    const { fields } = await db.admin.query('select * from ingestion_jobs limit 0');
    expect(fields.map(({ name }) => name)).toEqual([
      ...['job_id', 'tenant_id', 'connector_id', 'external_account_id', 'status', 'retry_count', 'run_id'],
      ...['correlation_id', 'error_message', 'error_code', 'next_retry_at', 'created_at', 'started_at', 'completed_at'],
    ]);
    await cancelSync(syncs.service, { tenantId: syncs.tenantId, by: 'ada' }, jobId, silentLog);
  });

  it('of a connection that was deleted or locked meanwhile ends as a dead letter that says so', async () => {
    const deleted = await connect();
    const locked = await connect();
    (syncs.airbyte.world.connections.get(deleted.connection_id) as { status: string }).status = 'deprecated';
    (syncs.airbyte.world.connections.get(locked.connection_id) as { status: string }).status = 'locked';
    const [one, two] = [await start(deleted), await start(locked)];
    expect(await until(one.job_id, 'dead_letter')).toMatchObject({ error_code: 'airbyte_not_found' });
    expect(await until(two.job_id, 'dead_letter')).toMatchObject({ error_code: 'connection_not_active' });
  });

  it('is not triggered again within min_interval_seconds, nor above what its external account allows; that costs no retry', async () => {
    const limits = { minIntervalSeconds: 60, accountTriggersPerHour: 2 };
    const strict = await buildSyncs(db.appUrl, syncs.airbyte, { limits });
    await syncs.service.engine.stop();
    await strict.engine.start();
    try {
      const connector = await connect({ externalAccountId: 'one-shop' });
      const again = async (each: ConnectorRow) =>
        (await dispatcher().dispatch({ connectorId: each.connector_id, asSupport: true })).job.job_id;
      await until(await again(connector), 'success');
      const tooSoon = await until(await again(connector), 'failed');
      expect(tooSoon).toMatchObject({ error_code: 'rate_limited', retry_count: 0 });
      expect((tooSoon.next_retry_at?.getTime() ?? 0) - Date.now()).toBeLessThan(61_000);
      expect(syncs.airbyte.jobsOf(connector.connection_id)).toHaveLength(1);
      await until(await again(await connect({ externalAccountId: 'one-shop' })), 'success');
      const third = await until(await again(await connect({ externalAccountId: 'one-shop' })), 'failed');
      expect(third).toMatchObject({ error_code: 'rate_limited', error_message: expect.stringContaining('one-shop') });
    } finally {
      await strict.close();
      await syncs.service.engine.start();
    }
  });
});

// The one stage of a sync: get the run its job at Airbyte, follow it to its end, and finish with its figures.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { StageOutcome } from '../../engine/pipeline.ts';
import type { Receipt } from '../../engine/receipt.ts';
import type { StageContext } from '../../engine/stage-context.ts';
import { type AirbyteJob, durationSeconds } from './airbyte/answers.ts';
import type { AirbyteClient } from './airbyte/client.ts';
import { settleEarlier } from './cancellations.ts';
import type { SyncCheckpoint } from './checkpoint.ts';
import type { SyncInput } from './input.ts';
import { type Cancellation, listOpenCancellations } from './sql/cancellations.ts';
import { type ConnectorRow, findConnector } from './sql/connectors.ts';
import { recordSuccess } from './sql/sync-jobs.ts';
import type { SyncsDeps } from './syncs-deps.ts';
import { ensureJob, type KnownJob, REMOVAL } from './trigger-job.ts';
import { watchJob } from './watch-job.ts';

export async function runSync(context: StageContext<SyncInput>, deps: SyncsDeps): Promise<StageOutcome> {
  const { connector, client, cancelled } = await openConnector(context, deps);
  await settleEarlier(context, deps.clients, cancelled);
  const known = await ensureJob({ context, connector, client, limits: deps.limits });
  const job = await watchJob(context, client, known.id, deps.poll).catch((error: unknown) => forget(context, error));
  if (job.status !== 'succeeded') {
    const failure = new MillraceError('airbyte_sync_failed', { airbyte_job: job.jobId, state: job.status });
    await forget(context, failure);
  }
  return finish(context, connector, known, job);
}

async function openConnector(
  context: StageContext<SyncInput>,
  { clients }: SyncsDeps,
): Promise<{ connector: ConnectorRow; client: AirbyteClient; cancelled: Cancellation[] }> {
  const { connector_id: connectorId } = context.input;
  const { tenantId } = context.run;
  return context.commit(async (tx) => {
    const connector = await findConnector(tx, tenantId, connectorId);
    if (!connector) throw new MillraceError('run_cancelled', { run: context.run.id, by: REMOVAL });
    const client = await clients.forConnector(tx, connector);
    const of = { connectorId, connectionId: connector.connection_id };
    return { connector, client, cancelled: await listOpenCancellations(tx, tenantId, of) };
  });
}

/** A job that failed is over: the next attempt starts another one. Every other error leaves it to be followed further. */
async function forget(context: StageContext<SyncInput>, error: unknown): Promise<never> {
  if (error instanceof MillraceError && error.code === 'airbyte_sync_failed')
    await context.commit(async () => undefined, { checkpoint: {} satisfies SyncCheckpoint });
  throw error;
}

async function finish(
  context: StageContext<SyncInput>,
  connector: ConnectorRow,
  known: KnownJob,
  job: AirbyteJob,
): Promise<StageOutcome> {
  const { id: jobId, tenantId } = context.run;
  const { connector_id: connectorId } = connector;
  const at = await context.commit((tx) => recordSuccess(tx, { tenantId, connectorId, startedAt: known.startedAt }));
  const elapsed = ((at ?? connector.now).getTime() - Date.parse(known.startedAt)) / 1_000;
  const receipt = receiptOf(job, Math.max(0, elapsed));
  const data = {
    job_id: jobId,
    run_id: job.jobId,
    tenant_id: tenantId,
    connector_id: connectorId,
    records_synced: receipt.read,
    bytes_synced: receipt.bytes_synced,
    duration_seconds: receipt.duration_seconds,
  };
  return { on: 'complete', receipt, emit: [{ type: 'job.completed', data }] };
}

export function receiptOf(job: AirbyteJob, elapsedSeconds: number): Receipt {
  const records = Math.round(job.rowsSynced ?? 0);
  return {
    read: records,
    outcomes: { synced: records },
    bytes_synced: job.bytesSynced ?? 0,
    duration_seconds: durationSeconds(job.duration) ?? elapsedSeconds,
    airbyte_job_id: job.jobId,
  };
}

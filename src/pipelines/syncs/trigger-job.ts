// Gets a run its job at Airbyte: one at most, whatever is killed. The intent is stored before the trigger is sent. When the answer
// was lost (crash, time-out, broken connection), the jobs of the connection are listed and the one that is newer than the
// intent is adopted, ended or not; only when there is none is the trigger sent again. Ids are compared, not times: Airbyte's
// clock may be far from ours.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { takeOrThrow } from '../../engine/rate-limits.ts';
import type { StageContext } from '../../engine/stage-context.ts';
import type { Queryable } from '../../platform/database.ts';
import { type AirbyteJob, hasEnded, isNewer } from './airbyte/answers.ts';
import type { AirbyteClient } from './airbyte/client.ts';
import { NO_JOB_YET, type SyncCheckpoint } from './checkpoint.ts';
import type { SyncInput } from './input.ts';
import type { ConnectorRow } from './sql/connectors.ts';
import { recordAirbyteJob, recordIntent } from './sql/sync-jobs.ts';
import type { SyncLimits } from './syncs-deps.ts';
import { stopWatching } from './watch-job.ts';

/** Who cancelled a sync whose connector is gone. */
export const REMOVAL = 'the removal of its connector';

export type KnownJob = NonNullable<SyncCheckpoint['job']>;

export interface TriggerTools {
  readonly context: StageContext<SyncInput>;
  readonly connector: ConnectorRow;
  readonly client: AirbyteClient;
  readonly limits: SyncLimits;
}

// Only narrows the list; which job is ours is decided by ids. Wide, because the two clocks may differ.
const CLOCKS_DIFFER_MS = 86_400_000;

export async function ensureJob(tools: TriggerTools): Promise<KnownJob> {
  const { context, connector, client } = tools;
  const before = (await context.checkpoint<SyncCheckpoint>()) ?? {};
  if (before.job) return before.job;
  const jobs = await client.listSyncs(connector.connection_id, listSince(before));
  const newest = jobs[0];
  const ours = before.intent && newest && isNewer(newest.jobId, before.intent.afterJobId) ? newest : undefined;
  const running = jobs.find((job) => !hasEnded(job.status));
  const found = ours ?? running;
  if (found) return remember(tools, found, true, before.intent?.at);
  const intent = {
    at: connector.now.toISOString(),
    afterJobId: newest?.jobId ?? before.intent?.afterJobId ?? NO_JOB_YET,
  };
  await context.commit((tx) => storeIntent(tx, tools, intent.at), { checkpoint: { intent } satisfies SyncCheckpoint });
  // A cancel that came meanwhile spares the trigger; one that comes while it is under way cancels what it made.
  context.signal.throwIfAborted();
  const made = await trigger(tools, intent.afterJobId);
  if (context.signal.aborted) await stopWatching(context, client, made.job.jobId);
  return remember(tools, made.job, made.adopted, intent.at);
}

function listSince({ intent }: SyncCheckpoint): { createdAtStart?: Date; limit?: number } {
  if (intent === undefined) return { limit: 20 };
  return { createdAtStart: new Date(Date.parse(intent.at) - CLOCKS_DIFFER_MS) };
}

/** The limits and the intent in one transaction: a trigger that may not be sent now leaves no trace. */
async function storeIntent(tx: Queryable, { context, connector, limits }: TriggerTools, at: string): Promise<void> {
  const { tenantId, id: jobId } = context.run;
  await takeOrThrow(tx, {
    key: `connector:${connector.connector_id}`,
    capacity: 1,
    refillPerSecond: 1 / limits.minIntervalSeconds,
  });
  await takeOrThrow(tx, {
    key: `account:${tenantId}:${connector.external_account_id}`,
    capacity: limits.accountTriggersPerHour,
    refillPerSecond: limits.accountTriggersPerHour / 3_600,
  });
  // Nothing is triggered for a connector that is gone: the removal and this transaction wait for each other at its row.
  const isThere = await recordIntent(tx, { jobId, tenantId, connectorId: connector.connector_id, at });
  if (!isThere) throw new MillraceError('run_cancelled', { run: jobId, by: REMOVAL });
}

async function trigger(tools: TriggerTools, afterJobId: string): Promise<{ job: AirbyteJob; adopted: boolean }> {
  const { client, connector } = tools;
  const connection = connector.connection_id;
  try {
    return { job: await client.createSync(connection), adopted: false };
  } catch (error) {
    if (!(error instanceof MillraceError)) throw error;
    if (error.code === 'airbyte_not_running')
      throw new MillraceError('connection_not_active', { connection, state: 'not active' }, { cause: error });
    if (error.code !== 'airbyte_busy') throw error;
    const jobs = await client.listSyncs(connection, { limit: 20 });
    const job = jobs.find((each) => !hasEnded(each.status) || isNewer(each.jobId, afterJobId));
    if (job) return { job, adopted: true };
    // It ended between the two questions: the next try starts a sync of our own.
    throw new MillraceError('airbyte_unavailable', { status: 409, detail: 'a sync was running and has just ended' });
  }
}

async function remember(
  { context, connector }: TriggerTools,
  { jobId: airbyteJobId }: AirbyteJob,
  adopted: boolean,
  intentAt: string | undefined,
): Promise<KnownJob> {
  const { id: jobId, tenantId, attempt } = context.run;
  const { connector_id: connectorId } = connector;
  const job = { id: airbyteJobId, startedAt: intentAt ?? connector.now.toISOString(), adopted };
  await context.commit((tx) => recordAirbyteJob(tx, { jobId, tenantId, connectorId, airbyteJobId, adopted }), {
    checkpoint: { job } satisfies SyncCheckpoint,
    emit: [
      {
        type: 'job.started',
        key: String(attempt),
        data: { job_id: jobId, run_id: airbyteJobId, tenant_id: tenantId, connector_id: connectorId, adopted },
      },
    ],
  });
  return job;
}

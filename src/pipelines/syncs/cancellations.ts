// What a cancelled sync may have left at Airbyte. Its run ends at once; its job is looked for and cancelled here, also when the
// answer to the trigger was lost: then the job that is newer than the stored intent is the run's, and it is recorded as adopted
// before it is cancelled. Noted in the database, so that it is done whatever is killed, and looked for more than once: a trigger
// may still have been on its way.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { Engine } from '../../engine/engine.ts';
import { createLoop, type Service } from '../../engine/services/loop.ts';
import { enterStage, leaveStage } from '../../engine/sql/fence.ts';
import { insertEvents } from '../../engine/sql/insert-events.ts';
import type { StageContext } from '../../engine/stage-context.ts';
import { type Queryable, withTransaction } from '../../platform/database.ts';
import type { Log } from '../../platform/log.ts';
import { hasEnded, isNewer } from './airbyte/answers.ts';
import type { AirbyteClient } from './airbyte/client.ts';
import type { AirbyteClients } from './airbyte-clients.ts';
import type { SyncCheckpoint } from './checkpoint.ts';
import { WORKER_ROLE } from './gate.ts';
import {
  becomeCanceller,
  type Cancellation,
  type CancellationOutcome,
  hasLaterSync,
  insertCancellation,
  readCancellation,
  settleCancellation,
  takeDueCancellations,
} from './sql/cancellations.ts';
import { findConnector } from './sql/connectors.ts';
import { recordAirbyteJob } from './sql/sync-jobs.ts';

export interface CancellationDeps {
  readonly engine: Pick<Engine, 'pools'> & Partial<Pick<Engine, 'election'>>;
  readonly clients: AirbyteClients;
}

/** Short transactions as syncs_worker, under the tenant of the cancelled run. */
export type UnderTenant = <T>(work: (tx: Queryable) => Promise<T>) => Promise<T>;

/** After each look, how long until the next. */
const PAUSES_MS = [5_000, 15_000, 60_000, 300_000, 900_000, 3_600_000];
/** So many clean answers without a job: none was started. By then six minutes have passed since the cancel. */
const LOOKS_IN_VAIN = 5;
const GIVE_UP_MS = 86_400_000;
/** Only narrows the list; ids decide. Wide, because Airbyte's clock may be far from ours. */
const CLOCKS_DIFFER_MS = 86_400_000;
const BATCH = 20;
const EVERY_MS = 1_000;
/** A loop that finds nothing looks this many times less often. */
const IDLE_POLLS = 10;

/** Notes that a run was cancelled after its trigger was, or may have been, sent. Before that there is nothing to cancel: false. */
export async function noteCancellation(
  db: Queryable,
  run: { readonly jobId: string; readonly tenantId: string; readonly connectorId: string },
  known: SyncCheckpoint | undefined,
): Promise<boolean> {
  const intentAt = known?.job?.startedAt ?? known?.intent?.at;
  if (intentAt === undefined) return false;
  const afterJobId = known?.job ? null : (known?.intent?.afterJobId ?? null);
  await insertCancellation(db, { ...run, afterJobId, airbyteJobId: known?.job?.id ?? null, intentAt });
  return true;
}

export function createCanceller(deps: CancellationDeps, log: Log, everyMs: number = EVERY_MS): Service {
  return createLoop({
    name: 'sync canceller',
    everyMs,
    idleMs: everyMs * IDLE_POLLS,
    election: deps.engine.election,
    log,
    tick: async () => ((await settleDue(deps, log)) === BATCH ? 0 : undefined),
  });
}

/** One round over what is due; how many were looked at. */
export async function settleDue(deps: CancellationDeps, log: Log): Promise<number> {
  const { control } = deps.engine.pools;
  const due = await withTransaction(control, async (tx) => {
    await becomeCanceller(tx);
    return takeDueCancellations(tx, BATCH, PAUSES_MS);
  });
  for (const { tenant_id: tenantId, job_id: jobId } of due) {
    const open = await asWorker(deps, tenantId, (tx) => readCancellation(tx, tenantId, jobId));
    if (open) await lookAndSettle(deps, open, log);
  }
  return due.length;
}

/** Looks for the job of a cancelled run once, and cancels it. What remains open is looked at again by the canceller. */
export async function lookAndSettle(deps: CancellationDeps, open: Cancellation, log: Log): Promise<void> {
  const fields = { run: open.job_id, tenant: open.tenant_id, connector: open.connector_id };
  try {
    const found = await stopAtAirbyte((work) => asWorker(deps, open.tenant_id, work), deps.clients, open);
    if (found !== undefined) await settle(deps, open, found);
    else if (open.looks >= LOOKS_IN_VAIN) await settle(deps, open, { outcome: 'not_started', jobId: null });
  } catch (error) {
    if (!(error instanceof MillraceError)) throw error;
    log.warn({ ...fields, code: error.code }, 'a cancelled sync could not be cancelled at Airbyte yet');
    if (open.age_ms > GIVE_UP_MS) await settle(deps, open, { outcome: 'gave_up', jobId: open.airbyte_job_id });
  }
}

interface Found {
  readonly outcome: CancellationOutcome;
  readonly jobId: string | null;
}

/** Undefined: no job has appeared, yet. */
async function stopAtAirbyte(
  underTenant: UnderTenant,
  clients: AirbyteClients,
  open: Cancellation,
): Promise<Found | undefined> {
  const { tenant_id: tenantId, connector_id: connectorId, job_id: jobId } = open;
  const connection = await underTenant((tx) => wayToAirbyte(tx, clients, open));
  if (!connection) return { outcome: 'connector_removed', jobId: open.airbyte_job_id };
  const found = await findStarted(connection, open);
  // Asked after Airbyte was: a job that a later run has started since can then not be taken for this run's.
  const sync = { tenantId, connectorId, connectionId: connection.id, jobId };
  if (await underTenant((tx) => hasLaterSync(tx, sync))) return { outcome: 'taken_over', jobId: open.airbyte_job_id };
  if (found === undefined) return undefined;
  if (open.airbyte_job_id === null) {
    const adopted = { jobId, tenantId, connectorId, airbyteJobId: found.id, adopted: true };
    await underTenant((tx) => recordAirbyteJob(tx, adopted));
  }
  if (!found.hasEnded) await connection.client.cancelJob(found.id);
  return { outcome: found.hasEnded ? 'ended' : 'cancelled', jobId: found.id };
}

/** Before a connector is synced again, in its stage: a job that a cancelled run of it left behind is not to be adopted. */
export async function settleEarlier(
  context: StageContext<unknown>,
  clients: AirbyteClients,
  cancelled: readonly Cancellation[],
): Promise<void> {
  const { tenantId } = context.run;
  for (const open of cancelled) {
    const found = await stopAtAirbyte((work) => context.commit(work), clients, open);
    if (found === undefined) continue;
    const settled = { tenantId, jobId: open.job_id, airbyteJobId: found.jobId, outcome: found.outcome };
    await context.commit((tx) => settleCancellation(tx, settled), {
      emit: [{ type: 'job.cancelled', key: open.job_id, data: toldOf(open, found) }],
    });
  }
}

interface Connection {
  readonly id: string;
  readonly client: AirbyteClient;
}

/** By the connector, or by what was kept of it when it was removed. */
async function wayToAirbyte(
  tx: Queryable,
  clients: AirbyteClients,
  { tenant_id: tenantId, connector_id: connectorId, kept }: Cancellation,
): Promise<Connection | undefined> {
  if (kept) {
    const client = clients.forKept({ ...kept, connector_id: connectorId });
    return { id: kept.connection_id, client };
  }
  const connector = await findConnector(tx, tenantId, connectorId);
  return connector && { id: connector.connection_id, client: await clients.forConnector(tx, connector) };
}

async function findStarted(
  connection: Connection,
  open: Cancellation,
): Promise<{ id: string; hasEnded: boolean } | undefined> {
  if (open.airbyte_job_id !== null) return { id: open.airbyte_job_id, hasEnded: false };
  const createdAtStart = new Date(open.intent_at.getTime() - CLOCKS_DIFFER_MS);
  const jobs = await connection.client.listSyncs(connection.id, { createdAtStart });
  const newer = jobs.filter((job) => isNewer(job.jobId, open.after_job_id ?? '0'));
  const job = newer.find((each) => !hasEnded(each.status)) ?? newer[0];
  return job && { id: job.jobId, hasEnded: hasEnded(job.status) };
}

async function settle({ engine }: CancellationDeps, open: Cancellation, found: Found): Promise<void> {
  const { tenant_id: tenantId, job_id: runId } = open;
  await withTransaction(engine.pools.control, async (tx) => {
    await enterStage(tx, WORKER_ROLE, tenantId);
    const isFirst = await settleCancellation(tx, {
      tenantId,
      jobId: runId,
      airbyteJobId: found.jobId,
      outcome: found.outcome,
    });
    await leaveStage(tx);
    if (!isFirst) return;
    const data = JSON.stringify(toldOf(open, found));
    await insertEvents(tx, [{ tenantId, runId, type: 'job.cancelled', key: '', data }]);
  });
}

function toldOf(open: Cancellation, { outcome, jobId }: Found): Readonly<Record<string, unknown>> {
  const { job_id, tenant_id, connector_id } = open;
  return { job_id, tenant_id, connector_id, run_id: jobId, outcome };
}

export function asWorker<T>(
  { engine }: Pick<CancellationDeps, 'engine'>,
  tenantId: string,
  work: (tx: Queryable) => Promise<T>,
): Promise<T> {
  return withTransaction(engine.pools.control, async (tx) => {
    await enterStage(tx, WORKER_ROLE, tenantId);
    return work(tx);
  });
}

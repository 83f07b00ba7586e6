// Makes sync jobs and looks after them, for one tenant. At most one job of a connector is live: a second dispatch is answered with
// the first one's job. The database holds that rule; the look before is for the answer's sake.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { cadenceOf, earliestManual, hoursOf } from './cadence.ts';
import type { SyncInput } from './input.ts';
import { type ConnectorRow, findConnector } from './sql/connectors.ts';
import { findJob, findLiveJob, type JobRow, listJobs } from './sql/read-jobs.ts';
import { inOneTransaction, type SyncService } from './sync-service.ts';

export interface DispatchRequest {
  readonly connectorId: string;
  /** Default: the connector's. */
  readonly externalAccountId?: string;
  readonly correlationId?: string;
  /** The user who asks. */
  readonly createdBy?: string;
  /** Support may sync before the plan's minimum is over. */
  readonly asSupport?: boolean;
}

export interface Dispatched {
  readonly job: JobRow;
  /** False: the connector had a live job already, and this is it. */
  readonly created: boolean;
}

export interface RequeueRequest {
  readonly jobId: string;
  /** The support ticket this is done for. */
  readonly correlationId: string;
  readonly by: string;
}

const MAX_QUEUED = 1_000;

export class JobDispatcher {
  readonly #service: Pick<SyncService, 'engine'>;
  readonly #tenantId: string;

  constructor(service: Pick<SyncService, 'engine'>, tenantId: string) {
    this.#service = service;
    this.#tenantId = tenantId;
  }

  async dispatch(request: DispatchRequest): Promise<Dispatched> {
    const answer = await inOneTransaction(this.#service, this.#tenantId, async ({ tx, asTenant }) => {
      const { connector, live } = await asTenant(async (db) => ({
        connector: await this.#requireConnector(db, request.connectorId),
        live: await findLiveJob(db, this.#tenantId, request.connectorId),
      }));
      if (live !== undefined) return { id: live, created: false };
      if (!request.asSupport) requireMinimum(connector);
      const [made] = await this.#service.engine.enqueueIn(tx, [this.#runFor(connector, request)]);
      return made;
    });
    if (answer === undefined) throw new MillraceError('connector_not_found', { connector: request.connectorId });
    if (answer.created) this.#service.engine.wake();
    return { job: await this.job(answer.id), created: answer.created };
  }

  /** Jobs that wait for their first try, newest first. */
  getQueuedJobs(): Promise<JobRow[]> {
    const filter = { connectorId: null, statuses: ['queued'], beforeId: null, limit: MAX_QUEUED };
    return this.#look((db) => listJobs(db, { tenantId: this.#tenantId, ...filter }));
  }

  async job(jobId: string): Promise<JobRow> {
    const job = await this.#look((db) => findJob(db, this.#tenantId, jobId));
    if (!job) throw new MillraceError('sync_not_found', { job: jobId });
    return job;
  }

  /** For support alone. The dead letter is linked to the new job and leaves the queue. */
  async requeueFromDlq(request: RequeueRequest): Promise<JobRow> {
    const dead = await this.job(request.jobId);
    const { requeued_as: successor } = await this.#service.engine.run(this.#tenantId, request.jobId);
    // One that was requeued before is told so by the engine, whether or not its successor is live.
    if (dead.status === 'dead_letter' && successor === null) {
      const { connector_id: connector } = dead;
      const { live, isThere } = await this.#look(async (db) => ({
        live: await findLiveJob(db, this.#tenantId, connector),
        isThere: (await findConnector(db, this.#tenantId, connector)) !== undefined,
      }));
      if (!isThere) throw new MillraceError('connector_not_found', { connector });
      if (live !== undefined) throw new MillraceError('sync_live', { connector, job: live });
    }
    const actor = { tenantId: this.#tenantId, by: request.by };
    return this.job(await this.#service.engine.requeue(actor, request.jobId, request.correlationId));
  }

  /** A cancelled sync is tried again under the rules of a new one. */
  async requireRetryable(jobId: string): Promise<void> {
    const { connector_id: connectorId } = await this.job(jobId);
    requireMinimum(await this.#look((db) => this.#requireConnector(db, connectorId)));
  }

  async #requireConnector(db: Parameters<typeof findConnector>[0], connectorId: string): Promise<ConnectorRow> {
    const connector = await findConnector(db, this.#tenantId, connectorId);
    if (!connector) throw new MillraceError('connector_not_found', { connector: connectorId });
    const reason = connector.disabled_reason ?? 'by a person';
    if (!connector.enabled) throw new MillraceError('connector_disabled', { connector: connectorId, reason });
    return connector;
  }

  #runFor(connector: ConnectorRow, request: DispatchRequest) {
    const input: SyncInput = {
      connector_id: connector.connector_id,
      external_account_id: request.externalAccountId ?? connector.external_account_id,
      name: connector.name,
      ...(connector.provider === null ? {} : { provider: connector.provider }),
      trigger: request.asSupport ? 'support' : 'manual',
    };
    return {
      pipeline: 'syncs',
      tenantId: this.#tenantId,
      input,
      sourceId: 'airbyte',
      ...(request.correlationId === undefined ? {} : { correlationId: request.correlationId }),
      ...(request.createdBy === undefined ? {} : { createdBy: request.createdBy }),
    };
  }

  #look<T>(work: (db: Parameters<typeof findConnector>[0]) => Promise<T>): Promise<T> {
    return inOneTransaction(this.#service, this.#tenantId, ({ asTenant }) => asTenant(work));
  }
}

function requireMinimum(connector: ConnectorRow): void {
  const { plan, now, connector_id: id } = connector;
  const at = earliestManual(plan, connector.last_success_started_at, now);
  if (at === null) return;
  const params = { connector: id, plan, minimum: hoursOf(cadenceOf(plan).minimumSeconds), next_at: at.toISOString() };
  throw new MillraceError('sync_too_soon', params, { retryAfterMs: at.getTime() - now.getTime() });
}

// Jobs as the ingestion_jobs view shows them, and the live one of a connector.
import type { Queryable } from '../../../platform/database.ts';

export interface JobRow {
  readonly job_id: string;
  readonly tenant_id: string;
  readonly connector_id: string;
  readonly external_account_id: string;
  readonly status: 'queued' | 'running' | 'failed' | 'dead_letter' | 'cancelled' | 'success';
  readonly retry_count: number;
  /** Airbyte's job id. */
  readonly run_id: string | null;
  readonly correlation_id: string | null;
  readonly error_message: string | null;
  readonly error_code: string | null;
  readonly next_retry_at: Date | null;
  readonly created_at: Date;
  readonly started_at: Date | null;
  readonly completed_at: Date | null;
}

const columns = `
  job_id, tenant_id, connector_id, external_account_id, status, retry_count, run_id, correlation_id, error_message, error_code,
  next_retry_at, created_at, started_at, completed_at`;

export async function findJob(db: Queryable, tenantId: string, jobId: string): Promise<JobRow | undefined> {
  const { rows } = await db.query<JobRow>({
    name: 'syncs-find-job',
    text: `select ${columns} from public.ingestion_jobs where tenant_id = $1 and job_id = $2`,
    values: [tenantId, jobId],
  });
  return rows[0];
}

export interface JobFilter {
  readonly tenantId: string;
  readonly connectorId: string | null;
  readonly statuses: readonly string[] | null;
  readonly beforeId: string | null;
  readonly limit: number;
}

/** Newest first. */
export async function listJobs(db: Queryable, filter: JobFilter): Promise<JobRow[]> {
  const { rows } = await db.query<JobRow>({
    name: 'syncs-list-jobs',
    text: `
      select ${columns} from public.ingestion_jobs
      where tenant_id = $1
        and ($2::text is null or connector_id = $2)
        and ($3::text[] is null or status = any ($3))
        and ($4::uuid is null or job_id < $4)
      order by job_id desc
      limit $5`,
    values: [filter.tenantId, filter.connectorId, filter.statuses, filter.beforeId, filter.limit],
  });
  return rows;
}

/** The run that is live for a connector: queued, running, or failed with a retry planned. */
export async function findLiveJob(db: Queryable, tenantId: string, connectorId: string): Promise<string | undefined> {
  const { rows } = await db.query<{ id: string }>({
    name: 'syncs-find-live-job',
    text: `select id from engine.runs where tenant_id = $1 and pipeline = 'syncs' and active_key = $2`,
    values: [tenantId, connectorId],
  });
  return rows[0]?.id;
}

/** Statuses of the live runs of several connectors, by connector. */
export async function listLiveJobs(
  db: Queryable,
  tenantId: string,
  connectorIds: readonly string[],
): Promise<{ connector_id: string; job_id: string; status: JobRow['status'] }[]> {
  const { rows } = await db.query<{ connector_id: string; job_id: string; status: JobRow['status'] }>({
    name: 'syncs-list-live-jobs',
    text: `
      select j.active_key as connector_id, j.id as job_id, j.status from unnest($2::text[]) given (key)
      cross join lateral (
        select active_key, id, status from engine.runs
        where tenant_id = $1 and pipeline = 'syncs' and active_key >= given.key order by active_key limit 1
      ) j
      where j.active_key = given.key`,
    values: [tenantId, connectorIds],
  });
  return rows;
}

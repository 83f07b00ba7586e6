// What a run knows of its job at Airbyte, and what its end means for the connector. Written by the stage, under the fence.
import type { Queryable } from '../../../platform/database.ts';

export interface Intent {
  readonly jobId: string;
  readonly tenantId: string;
  readonly connectorId: string;
  readonly at: string;
}

/** Before the trigger: from here on Airbyte may have started a job for this run. False: its connector is gone. */
export async function recordIntent(db: Queryable, intent: Intent): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'syncs-record-intent',
    text: `
      with started as (
        update public.connectors set last_started_at = $4, updated_at = engine.now() where tenant_id = $2 and connector_id = $3
        returning tenant_id, connector_id
      )
      insert into public.sync_jobs (job_id, tenant_id, connector_id, intent_at, triggers)
      select $1, tenant_id, connector_id, $4, 1 from started
      on conflict (job_id) do update
      set intent_at = excluded.intent_at, triggers = sync_jobs.triggers + 1, airbyte_job_id = null, triggered_at = null`,
    values: [intent.jobId, intent.tenantId, intent.connectorId, intent.at],
  });
  return rowCount === 1;
}

export async function recordAirbyteJob(
  db: Queryable,
  job: {
    readonly jobId: string;
    readonly tenantId: string;
    readonly connectorId: string;
    readonly airbyteJobId: string;
    readonly adopted: boolean;
  },
): Promise<void> {
  await db.query({
    name: 'syncs-record-airbyte-job',
    text: `
      insert into public.sync_jobs (job_id, tenant_id, connector_id, airbyte_job_id, adopted, intent_at, triggered_at)
      values ($1, $2, $3, $4, $5, engine.now(), engine.now())
      on conflict (job_id) do update
      set airbyte_job_id = excluded.airbyte_job_id, adopted = excluded.adopted, triggered_at = excluded.triggered_at`,
    values: [job.jobId, job.tenantId, job.connectorId, job.airbyteJobId, job.adopted],
  });
}

/** In the transaction before the run's end: the connector's cadence must never see a run that has ended without it. */
export async function recordSuccess(
  db: Queryable,
  success: { readonly tenantId: string; readonly connectorId: string; readonly startedAt: string },
): Promise<Date | undefined> {
  const { rows } = await db.query<{ at: Date }>({
    name: 'syncs-record-success',
    text: `
      update public.connectors
      set last_success_started_at = greatest(last_success_started_at, $3::timestamptz), last_success_at = engine.now(),
          consecutive_failures = 0, warned_at = null, last_error_code = null, last_error_kind = null, last_error_at = null,
          updated_at = engine.now()
      where tenant_id = $1 and connector_id = $2
      returning last_success_at as at`,
    values: [success.tenantId, success.connectorId, success.startedAt],
  });
  return rows[0]?.at;
}

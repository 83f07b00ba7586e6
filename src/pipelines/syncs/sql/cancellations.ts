// Cancelled syncs whose job at Airbyte may still run. Found across tenants as syncs_canceller; everything else is done under one
// tenant, as syncs_worker.
import type { Queryable } from '../../../platform/database.ts';

export type CancellationOutcome =
  | 'cancelled'
  | 'ended'
  | 'not_started'
  | 'taken_over'
  | 'connector_removed'
  | 'gave_up';

export interface Cancellation {
  readonly job_id: string;
  readonly tenant_id: string;
  readonly connector_id: string;
  readonly after_job_id: string | null;
  readonly airbyte_job_id: string | null;
  readonly intent_at: Date;
  readonly looks: number;
  readonly age_ms: number;
  /** Once its connector was removed: how to reach the job without it. Null before. */
  readonly kept: KeptWay | null;
}

export interface KeptWay {
  readonly connection_id: string;
  readonly credential_kind: string;
  readonly credential: Buffer | null;
}

const columns = `
  job_id, tenant_id, connector_id, after_job_id, airbyte_job_id, intent_at, looks,
  extract(epoch from engine.now() - requested_at)::float8 * 1000 as age_ms, connection_id, credential_kind, credential`;

type CancellationRow = Omit<Cancellation, 'kept'> & {
  readonly connection_id: string | null;
  readonly credential_kind: string | null;
  readonly credential: Buffer | null;
};

/** For the rest of the transaction only the right to find what is open. */
export async function becomeCanceller(db: Queryable): Promise<void> {
  await db.query({ name: 'syncs-become-canceller', text: `select set_config('role', 'syncs_canceller', true)` });
}

export interface CancellationDraft {
  readonly jobId: string;
  readonly tenantId: string;
  readonly connectorId: string;
  readonly afterJobId: string | null;
  readonly airbyteJobId: string | null;
  readonly intentAt: string;
}

/** Noted once; a second call finds it there. */
export async function insertCancellation(db: Queryable, draft: CancellationDraft): Promise<void> {
  await db.query({
    name: 'syncs-insert-cancellation',
    text: `
      insert into public.sync_cancellations (job_id, tenant_id, connector_id, after_job_id, airbyte_job_id, intent_at)
      values ($1, $2, $3, $4, $5, $6)
      on conflict (job_id) do nothing`,
    values: [draft.jobId, draft.tenantId, draft.connectorId, draft.afterJobId, draft.airbyteJobId, draft.intentAt],
  });
}

/**
 * Takes cancellations that are due and puts their next look as far ahead as the list of pauses says, so that no other process
 * looks meanwhile, and one that dies now is followed by another.
 */
export async function takeDueCancellations(
  db: Queryable,
  limit: number,
  pausesMs: readonly number[],
): Promise<{ job_id: string; tenant_id: string }[]> {
  const { rows } = await db.query<{ job_id: string; tenant_id: string }>({
    name: 'syncs-take-due-cancellations',
    text: `
      with due as (
        select job_id from public.sync_cancellations
        where look_at <= (select engine.now())
        order by look_at
        limit $1
        for update skip locked
      )
      update public.sync_cancellations c
      set looks = c.looks + 1,
          look_at = engine.now() + ($2::integer[])[least(c.looks + 1, array_length($2::integer[], 1))] * interval '1 millisecond'
      where c.job_id = any (array(select job_id from due))
      returning c.job_id, c.tenant_id`,
    values: [limit, pausesMs],
  });
  return rows;
}

export async function readCancellation(
  db: Queryable,
  tenantId: string,
  jobId: string,
): Promise<Cancellation | undefined> {
  const { rows } = await db.query<CancellationRow>({
    name: 'syncs-read-cancellation',
    text: `select ${columns} from public.sync_cancellations where tenant_id = $1 and job_id = $2 and look_at is not null`,
    values: [tenantId, jobId],
  });
  return rows.map(withKeptWay)[0];
}

/** What is open for a connection, also of a connector that was removed: to be settled before it is synced again. */
export async function listOpenCancellations(
  db: Queryable,
  tenantId: string,
  of: { readonly connectorId: string; readonly connectionId: string },
): Promise<Cancellation[]> {
  const { rows } = await db.query<CancellationRow>({
    name: 'syncs-list-open-cancellations',
    text: `
      select ${columns} from public.sync_cancellations
      where tenant_id = $1 and job_id = any (array(
        (select job_id from public.sync_cancellations where tenant_id = $1 and connector_id = $2 and look_at is not null)
        union all
        (select job_id from public.sync_cancellations where tenant_id = $1 and connection_id = $3 and look_at is not null)
      ))
      order by job_id`,
    values: [tenantId, of.connectorId, of.connectionId],
  });
  return rows.map(withKeptWay);
}

function withKeptWay({ connection_id, credential_kind, credential, ...row }: CancellationRow): Cancellation {
  const isKept = connection_id !== null && credential_kind !== null;
  return { ...row, kept: isKept ? { connection_id, credential_kind, credential } : null };
}

/** The newest syncs of a connector that may have a job at Airbyte and were not noted as cancelled. */
export async function listUnnoted(db: Queryable, tenantId: string, connectorId: string): Promise<string[]> {
  const { rows } = await db.query<{ job_id: string }>({
    name: 'syncs-list-unnoted',
    text: `
      select j.job_id from public.sync_jobs j
      where j.tenant_id = $1 and j.connector_id between $2 and $2
        and (select true from public.sync_cancellations c where c.job_id = j.job_id limit 1) is null
      order by j.connector_id, j.job_id desc
      limit 20`,
    values: [tenantId, connectorId],
  });
  return rows.map((row) => row.job_id);
}

/** Those of these runs that were cancelled. Runs as the engine. */
export async function listCancelledOf(db: Queryable, jobIds: readonly string[]): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>({
    name: 'syncs-list-cancelled-of',
    text: `select id from engine.runs where id = any ($1::uuid[]) and error_code = 'run_cancelled' and finished_at is not null`,
    values: [jobIds],
  });
  return rows.map((row) => row.id);
}

/** Before a connector is removed: what is open keeps its way to Airbyte, sealed as it was, until it is settled. */
export async function keepWayToAirbyte(db: Queryable, tenantId: string, connectorId: string): Promise<void> {
  await db.query({
    name: 'syncs-keep-way-to-airbyte',
    text: `
      update public.sync_cancellations c
      set connection_id = k.connection_id, credential_kind = k.credential_kind, credential = k.credential
      from public.connectors k
      where c.tenant_id = $1 and c.connector_id = $2 and c.look_at is not null
        and k.tenant_id = c.tenant_id and k.connector_id = c.connector_id`,
    values: [tenantId, connectorId],
  });
}

/** Whether a later run of the connection has stored an intent or a job: from then on what is newer may be that run's. */
export async function hasLaterSync(
  db: Queryable,
  sync: {
    readonly tenantId: string;
    readonly connectorId: string;
    readonly connectionId: string;
    readonly jobId: string;
  },
): Promise<boolean> {
  const { rows } = await db.query<{ later: boolean }>({
    name: 'syncs-has-later-sync',
    text: `
      select exists (
        select from (
          select $2::uuid as connector_id union all
          select k.connector_id from public.connectors k where k.tenant_id = $1 and k.connection_id = $4
        ) k
        cross join lateral (
          select job_id from public.sync_jobs
          where tenant_id = $1 and connector_id between k.connector_id and k.connector_id
          order by connector_id, job_id desc limit 1
        ) newest
        where newest.job_id > $3
      ) as later`,
    values: [sync.tenantId, sync.connectorId, sync.jobId, sync.connectionId],
  });
  return rows[0]?.later ?? false;
}

/** True for the one who settles it. */
export async function settleCancellation(
  db: Queryable,
  settled: {
    readonly tenantId: string;
    readonly jobId: string;
    readonly airbyteJobId: string | null;
    readonly outcome: CancellationOutcome;
  },
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'syncs-settle-cancellation',
    text: `
      update public.sync_cancellations
      set outcome = $4, settled_at = engine.now(), look_at = null, airbyte_job_id = coalesce($3, airbyte_job_id),
          credential = null, credential_kind = null, connection_id = null
      where tenant_id = $1 and job_id = $2 and look_at is not null`,
    values: [settled.tenantId, settled.jobId, settled.airbyteJobId, settled.outcome],
  });
  return rowCount === 1;
}

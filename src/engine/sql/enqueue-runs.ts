// Puts runs into the ledger and, when due, into the queue: one statement, however many.
// A unique_key or active_key that is taken adds nothing; the run that holds it is reported instead.
import type { Queryable } from '../../platform/database.ts';

export interface NewRun {
  readonly id: string;
  readonly tenantId: string;
  readonly pipeline: string;
  readonly status: string;
  readonly lane: string;
  readonly priority: number;
  readonly input: string;
  readonly uniqueKey: string | null;
  readonly activeKey: string | null;
  readonly availableAt: Date | null;
  readonly blobId: string | null;
  readonly sourceId: string | null;
  readonly retryOf: string | null;
  readonly correlationId: string | null;
  readonly createdBy: string | null;
  readonly createdIp: string | null;
}

export interface EnqueuedRow {
  /** Null when another transaction took the key a moment ago: ask again. */
  readonly run_id: string | null;
  readonly created: boolean;
}

/** Answers in the order of `runs`. `announced` says for which pipelines a `run.queued` event is wanted. */
export async function enqueueRuns(
  db: Queryable,
  runs: readonly NewRun[],
  announced: readonly string[],
): Promise<EnqueuedRow[]> {
  const { rows } = await db.query<EnqueuedRow>({
    name: 'engine-enqueue-runs',
    text: `
      with given as (
        select *
        from unnest(
          $1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::smallint[], $7::jsonb[], $8::text[],
          $9::text[], $10::timestamptz[], $11::uuid[], $12::text[], $13::uuid[], $14::text[], $15::uuid[], $16::inet[]
        ) with ordinality as g (
          id, tenant_id, pipeline, status, lane, priority, input, unique_key,
          active_key, available_at, blob_id, source_id, retry_of, correlation_id, created_by, created_ip, ordinal
        )
      ),
      added as (
        insert into engine.runs (
          id, tenant_id, pipeline, status, phase, lane, priority, input, unique_key, active_key, blob_id, source_id,
          retry_of, correlation_id, created_by, created_ip, wait_reason
        )
        select id, tenant_id, pipeline, status, 'waiting', lane, priority, input, unique_key, active_key, blob_id, source_id,
               retry_of, correlation_id, created_by, created_ip,
               case when available_at > engine.now() then jsonb_build_object('kind', 'later', 'until', available_at) end
        from given
        on conflict do nothing
        returning id
      ),
      queued as (
        insert into engine.ready (pipeline, lane, priority, run_id)
        select g.pipeline, g.lane, g.priority, g.id
        from given g
        join added a on a.id = g.id
        where g.available_at is null or g.available_at <= engine.now()
      ),
      later as (
        insert into engine.scheduled (run_id, pipeline, lane, priority, available_at)
        select g.id, g.pipeline, g.lane, g.priority, g.available_at
        from given g
        join added a on a.id = g.id
        where g.available_at > engine.now()
      ),
      told as (
        insert into engine.events (tenant_id, run_id, type, data)
        select g.tenant_id, g.id, 'run.queued', jsonb_build_object('pipeline', g.pipeline, 'status', g.status)
        from given g
        join added a on a.id = g.id
        where g.pipeline = any ($17::text[])
        returning event_id
      ),
      posted as (
        insert into engine.event_inbox (event_id) select event_id from told
      )
      select coalesce(a.id, existing.id) as run_id, a.id is not null as created
      from given g
      left join added a on a.id = g.id
      left join lateral (
        select r.id
        from engine.runs r
        where a.id is null
          and (r.id = g.id
            or (r.tenant_id = g.tenant_id and r.pipeline = g.pipeline and r.unique_key = g.unique_key)
            or (r.tenant_id = g.tenant_id and r.pipeline = g.pipeline and r.active_key = g.active_key)
            or r.retry_of = g.retry_of)
        limit 1
      ) existing on true
      order by g.ordinal`,
    values: [
      runs.map((run) => run.id),
      runs.map((run) => run.tenantId),
      runs.map((run) => run.pipeline),
      runs.map((run) => run.status),
      runs.map((run) => run.lane),
      runs.map((run) => run.priority),
      runs.map((run) => run.input),
      runs.map((run) => run.uniqueKey),
      runs.map((run) => run.activeKey),
      runs.map((run) => run.availableAt),
      runs.map((run) => run.blobId),
      runs.map((run) => run.sourceId),
      runs.map((run) => run.retryOf),
      runs.map((run) => run.correlationId),
      runs.map((run) => run.createdBy),
      runs.map((run) => run.createdIp),
      announced,
    ],
  });
  return rows;
}

// Puts runs into the ledger and, when due, into the queue: one statement, however many.
// A unique_key or active_key that is taken adds nothing; the run that holds it is reported instead.
import type { Queryable } from '../../platform/database.ts';
import { arrayLiteral } from './array-literal.ts';

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

/** The ids that were added. `announced` says for which pipelines a `run.queued` event is wanted. */
export async function enqueueRuns(
  db: Queryable,
  runs: readonly NewRun[],
  announced: readonly string[],
): Promise<string[]> {
  const { rows } = await db.query<{ ids: string[] | null }>({
    name: 'engine-enqueue-runs',
    text: `
      with added as (
        insert into engine.runs (
          id, tenant_id, pipeline, status, phase, lane, priority, input, unique_key, active_key, blob_id, source_id,
          retry_of, correlation_id, created_by, created_ip, wait_reason
        )
        select id, tenant_id, pipeline, status, 'waiting', lane, priority, input, unique_key, active_key, blob_id, source_id,
               retry_of, correlation_id, created_by, created_ip,
               case when available_at > engine.now() then jsonb_build_object('kind', 'later', 'until', available_at) end
        from unnest(
          $1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::smallint[], $7::jsonb[], $8::text[],
          $9::text[], $10::timestamptz[], $11::uuid[], $12::text[], $13::uuid[], $14::text[], $15::uuid[], $16::inet[]
        ) as given (
          id, tenant_id, pipeline, status, lane, priority, input, unique_key,
          active_key, available_at, blob_id, source_id, retry_of, correlation_id, created_by, created_ip
        )
        on conflict do nothing
        returning id, tenant_id, pipeline, status, lane, priority, (wait_reason ->> 'until')::timestamptz as available_at
      ),
      queued as (
        insert into engine.ready (pipeline, lane, priority, run_id)
        select pipeline, lane, priority, id from added where available_at is null
      ),
      later as (
        insert into engine.scheduled (run_id, pipeline, lane, priority, available_at)
        select id, pipeline, lane, priority, available_at from added where available_at is not null
      ),
      told as (
        insert into engine.events (tenant_id, run_id, type, data)
        select tenant_id, id, 'run.queued', jsonb_build_object('pipeline', pipeline, 'status', status)
        from added
        where pipeline = any ($17::text[])
        returning event_id
      ),
      posted as (
        insert into engine.event_inbox (event_id) select event_id from told
      )
      -- All ids are only worth their way back when some are missing.
      select case when count(*) < cardinality($1::uuid[]) then coalesce(array_agg(id), '{}') end as ids from added`,
    values: [
      arrayLiteral(runs.map((run) => run.id)),
      arrayLiteral(runs.map((run) => run.tenantId)),
      arrayLiteral(runs.map((run) => run.pipeline)),
      arrayLiteral(runs.map((run) => run.status)),
      arrayLiteral(runs.map((run) => run.lane)),
      arrayLiteral(runs.map((run) => run.priority)),
      arrayLiteral(runs.map((run) => run.input)),
      arrayLiteral(runs.map((run) => run.uniqueKey)),
      arrayLiteral(runs.map((run) => run.activeKey)),
      arrayLiteral(runs.map((run) => run.availableAt?.toISOString() ?? null)),
      arrayLiteral(runs.map((run) => run.blobId)),
      arrayLiteral(runs.map((run) => run.sourceId)),
      arrayLiteral(runs.map((run) => run.retryOf)),
      arrayLiteral(runs.map((run) => run.correlationId)),
      arrayLiteral(runs.map((run) => run.createdBy)),
      arrayLiteral(runs.map((run) => run.createdIp)),
      announced,
    ],
  });
  return rows[0]?.ids ?? runs.map((run) => run.id);
}

/** The run that stands in the way of a new one: the same id, or the holder of one of its keys. */
export async function findHolder(db: Queryable, run: NewRun): Promise<string | undefined> {
  const { rows } = await db.query<{ id: string }>({
    name: 'engine-find-holder',
    text: `
      (select id from engine.runs where id = $1)
      union all
      (select id from engine.runs where tenant_id = $2 and pipeline = $3 and unique_key = $4)
      union all
      (select id from engine.runs where tenant_id = $2 and pipeline = $3 and active_key = $5)
      union all
      (select id from engine.runs where retry_of = $6)
      limit 1`,
    values: [run.id, run.tenantId, run.pipeline, run.uniqueKey, run.activeKey, run.retryOf],
  });
  return rows[0]?.id;
}

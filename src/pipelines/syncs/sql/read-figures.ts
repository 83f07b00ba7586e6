// The five figures to watch: jobs queued per minute, success rate by connector, average duration, dead letters by tenant, retries
// by error. Ids are made in time order, so a span of time is a range of the primary key.
import type { Queryable } from '../../../platform/database.ts';

export interface SyncFigures {
  readonly queued_last_minute: number;
  readonly ended: readonly { connector_id: string; succeeded: number; dead: number }[];
  /** Of syncs that succeeded: the time of their attempts, without the waits between them. */
  readonly average_seconds: number | null;
  /** Executions that have ended, of syncs made in the span. */
  readonly executions: number;
  readonly dead_letters: readonly { tenant_id: string; count: number }[];
  readonly retries: readonly { error_code: string; count: number }[];
}

/** Tenant by tenant, each by its own index: a range of ids alone would read the runs of every other pipeline as well. */
const everyTenant = `
  tenants as (
    (select tenant_id from engine.runs order by tenant_id limit 1)
    union all
    select (select r.tenant_id from engine.runs r where r.tenant_id > t.tenant_id order by r.tenant_id limit 1)
    from tenants t where t.tenant_id is not null
  )`;
const oneTenant = `tenants as (select $1::uuid as tenant_id)`;

/** `tenantId` null: of the whole installation, as the engine. `sinceId`, `minuteId`: the least ids of the span and of the last minute. */
export async function readSyncFigures(
  db: Queryable,
  tenantId: string | null,
  sinceId: string,
  minuteId: string,
): Promise<SyncFigures> {
  const { rows } = await db.query<SyncFigures>({
    name: `syncs-read-figures-${tenantId === null ? 'all' : 'tenant'}`,
    text: `
      with recursive ${tenantId === null ? everyTenant : oneTenant},
      recent as materialized (
        select r.*
        from tenants t
        cross join lateral (
          select id, input ->> 'connector_id' as connector_id, status, error_code, started_at, finished_at
          from engine.runs
          where tenant_id = t.tenant_id and pipeline = 'syncs' and id >= $2
          offset 0
        ) r
      ),
      ended as (
        select connector_id, count(*) filter (where status = 'success')::int as succeeded,
               count(*) filter (where status = 'dead_letter')::int as dead
        from recent where finished_at is not null
        group by connector_id
      ),
      letters as (
        select d.tenant_id, count(*)::int as count
        from engine.dead_letters d
        where d.pipeline = 'syncs' and ${tenantId === null ? '$1::uuid is null' : 'd.tenant_id = $1'}
        group by d.tenant_id
      ),
      executions as materialized (
        select a.run_id, a.outcome, a.error_code, a.ended_at - a.started_at as took
        from (select distinct id from recent) r
        cross join lateral (select * from engine.attempts where run_id = r.id offset 0) a
        where $1::uuid is null or a.tenant_id = $1
      ),
      retries as (
        select coalesce(error_code, 'unknown') as error_code, count(*)::int as count
        from executions where outcome = 'retried'
        group by 1
      ),
      succeeded as (
        select sum(e.took) as took
        from recent r join executions e on e.run_id = r.id
        where r.status = 'success'
        group by r.id
      )
      select (select count(*)::int from recent where id >= $3) as queued_last_minute,
             (select coalesce(jsonb_agg(ended order by connector_id), '[]') from ended) as ended,
             (select avg(extract(epoch from took))::float8 from succeeded) as average_seconds,
             (select count(*)::int from executions) as executions,
             (select coalesce(jsonb_agg(letters order by tenant_id), '[]') from letters) as dead_letters,
             (select coalesce(jsonb_agg(retries order by error_code), '[]') from retries) as retries`,
    values: [tenantId, sinceId, minuteId],
  });
  return (
    rows[0] ?? { queued_last_minute: 0, ended: [], average_seconds: null, executions: 0, dead_letters: [], retries: [] }
  );
}

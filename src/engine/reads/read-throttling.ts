// How often providers throttled us in the last hour, by provider. A run names its provider in its input (`provider`); a run that does not counts for
// the provider of its pipeline. The statement reads a bounded number of runs of the last hour and of runs that wait for a later time, where
// throttled runs are, both by index: its cost does not grow with the ledger. Rate and count describe the same runs. Runs as millrace_engine.
import type { Queryable } from '../../platform/database.ts';

export interface ThrottlingRow {
  readonly provider: string;
  readonly attempts: number;
  readonly throttled: number;
}

const NEWEST = 10_000;
/** Names that are told apart; the rest is "other", so that no tenant can fill a time series database with names. */
const NAMES = 20;

/**
 * `tenantId` null: of the whole installation. `sinceId`: the least id of the span, which begins at `since`. `providers`: by pipeline.
 */
export async function readThrottling(
  control: Queryable,
  tenantId: string | null,
  sinceId: string,
  since: Date,
  providers: Readonly<Record<string, string>>,
): Promise<ThrottlingRow[]> {
  const ofTenant = tenantId === null ? '$3::uuid is null' : 'r.tenant_id = $3::uuid';
  const { rows } = await control.query<ThrottlingRow>({
    name: `reads-throttling-${tenantId === null ? 'all' : 'tenant'}`,
    text: `
      with looked_at as (
        (select r.id, r.pipeline, r.input ->> 'provider' as provider
         from engine.runs r where r.id >= $1 and ${ofTenant} order by r.id desc limit ${NEWEST})
        union all
        (select r.id, r.pipeline, r.input ->> 'provider'
         from (select run_id from engine.scheduled where run_id < $1 limit ${NEWEST}) later
         cross join lateral (select * from engine.runs where id = later.run_id limit 1) r
         where ${ofTenant})
      ),
      asking as (
        select l.id, case when coalesce(l.provider, d.provider) ~ '^[a-z0-9][a-z0-9._-]{0,39}$' then coalesce(l.provider, d.provider)
                          else 'other' end as provider
        from looked_at l
        left join unnest($4::text[], $5::text[]) d (pipeline, provider) on d.pipeline = l.pipeline
        where coalesce(l.provider, d.provider) is not null
      ),
      told as (
        select s.provider, count(*)::int as attempts,
               count(*) filter (where a.error_kind = 'rate_limited' and a.error_code is distinct from 'disk_full')::int as throttled
        from asking s
        cross join lateral (select * from engine.attempts where run_id = s.id offset 0) a
        where a.ended_at >= $2
        group by s.provider
      ),
      ranked as (
        select *, row_number() over (order by attempts desc, provider) <= ${NAMES} as is_named from told
      )
      select case when is_named then provider else 'other' end as provider,
             sum(attempts)::int as attempts, sum(throttled)::int as throttled
      from ranked
      group by 1
      order by 1`,
    values: [sinceId, since, tenantId, Object.keys(providers), Object.values(providers)],
  });
  return rows;
}

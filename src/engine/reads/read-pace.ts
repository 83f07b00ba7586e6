// How fast and how well runs of the last hour went, by pipeline, of one tenant or of all. Reads a bounded number of the newest runs by
// the range of their ids, so that it costs the same however large the ledger is. Runs as millrace_engine.
import type { Queryable } from '../../platform/database.ts';

export interface PaceRow {
  readonly pipeline: string;
  /** Mean time from the first claim to the end; null while none has ended well. */
  readonly seconds: number | null;
  /** Items read for each second of work. */
  readonly items_per_second: number | null;
  /** Share of those that ended by themselves. */
  readonly error_ratio: number | null;
  /** Share of those that failed because something they asked for was not there. */
  readonly not_found_ratio: number | null;
  /** Attempts that were told to wait. */
  readonly throttled: number;
}

const NEWEST = 10_000;

/** `tenantId` null: of the whole installation. */
export async function readPace(control: Queryable, tenantId: string | null, sinceId: string): Promise<PaceRow[]> {
  const ofTenant = tenantId === null ? '$2::uuid is null' : 'tenant_id = $2::uuid';
  const { rows } = await control.query<PaceRow>({
    name: `reads-pace-${tenantId === null ? 'all' : 'tenant'}`,
    text: `
      with recent as (
        select id, pipeline, phase, error_code, (receipt ->> 'read')::float8 as items,
               extract(epoch from finished_at - started_at)::float8 as seconds
        from engine.runs where id >= $1 and ${ofTenant} order by id desc limit ${NEWEST}
      ),
      waited as (
        select r.pipeline, count(*)::int as throttled
        from recent r cross join lateral (select error_kind from engine.attempts where run_id = r.id offset 0) a
        where a.error_kind = 'rate_limited'
        group by 1
      ),
      pace as (
        select pipeline,
               avg(seconds) filter (where phase = 'done') as seconds,
               sum(items) filter (where phase = 'done')
                 / nullif(sum(seconds) filter (where phase = 'done' and items is not null), 0) as items_per_second,
               count(*) filter (where phase in ('failed', 'dead'))::float8
                 / nullif(count(*) filter (where phase in ('done', 'failed', 'dead')), 0) as error_ratio,
               count(*) filter (where phase in ('failed', 'dead') and error_code like '%\\_not\\_found')::float8
                 / nullif(count(*) filter (where phase in ('done', 'failed', 'dead')), 0) as not_found_ratio
        from recent
        where error_code is distinct from 'run_cancelled'
        group by 1
      )
      select p.pipeline, p.seconds, p.items_per_second, p.error_ratio, p.not_found_ratio, coalesce(w.throttled, 0) as throttled
      from pace p left join waited w using (pipeline)`,
    values: [sinceId, tenantId],
  });
  return rows;
}
